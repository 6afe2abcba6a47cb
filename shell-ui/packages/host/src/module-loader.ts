import type { Asset } from "./contract.ts";

/**
 * The page runs no script without integrity, and a plugin's files are in no import map. So each
 * is fetched by a `modulepreload` link with its integrity first; `import()` then finds it.
 */
const preloads = new Map<string, Promise<void>>();

/** A script or stylesheet of a plugin did not come, or was not what the host promised. */
export class AssetError extends Error {
  readonly href: string;

  constructor(href: string) {
    super(`${href} could not be loaded`);
    this.name = "AssetError";
    this.href = href;
  }
}

function appendLink(attributes: Record<string, string>): Promise<HTMLLinkElement> {
  const link = document.createElement("link");
  for (const [name, value] of Object.entries(attributes)) link.setAttribute(name, value);
  return new Promise((resolve, reject) => {
    link.onload = () => resolve(link);
    link.onerror = () => {
      link.remove();
      reject(new AssetError(attributes.href ?? ""));
    };
    document.head.append(link);
  });
}

const failed = new Set<string>();

/**
 * Many browsers remember that a module did not come for as long as the page lives. When it comes
 * now, only a new page can have it.
 */
async function fetchModule({ href, integrity }: Asset, stays: boolean): Promise<void> {
  try {
    await appendLink({ rel: "modulepreload", href, integrity });
  } catch (error) {
    const comesNow =
      failed.has(href) &&
      (await fetch(href, { integrity }).then(
        (response) => response.ok,
        () => false,
      ));
    failed.add(href);
    if (!comesNow || stays) throw error;
    location.reload();
    await new Promise(() => undefined);
  }
}

function preload(asset: Asset, stays: boolean): Promise<void> {
  const { href } = asset;
  let pending = preloads.get(href);
  if (!pending) {
    pending = fetchModule(asset, stays);
    pending.catch(() => preloads.delete(href));
    preloads.set(href, pending);
  }
  return pending;
}

/**
 * Imports a module after it, and what it needs at once, were fetched with integrity. `stays`: throws instead of
 * reloading the page if a module needs a new page.
 */
export async function importModule<T>(
  module: Asset,
  needs: readonly Asset[] = [],
  stays = false,
): Promise<T> {
  await Promise.all([...needs, module].map((asset) => preload(asset, stays)));
  return (await import(/* @vite-ignore */ module.href)) as T;
}

/** Adds a stylesheet and waits for it. The link is removed by its owner. */
export function addStylesheet({ href, integrity }: Asset, id = ""): Promise<HTMLLinkElement> {
  return appendLink({ rel: "stylesheet", href, integrity, ...(id && { id }) });
}

type ChunkTable = Readonly<Record<string, readonly (readonly [href: string, integrity: string])[]>>;

const chunks = new Map<string, readonly Asset[]>();

/** Called by the entry that the preset writes: what each later chunk needs, the chunk itself last. */
export function registerChunks(base: string, table: ChunkTable): void {
  for (const [chunk, needs] of Object.entries(table)) {
    chunks.set(
      new URL(chunk, base).href,
      needs.map(([href, integrity]) => ({ href: new URL(href, base).href, integrity })),
    );
  }
}

/** What the preset makes of `import()` in a plugin. */
export function importChunk<T>(chunk: string, base: string): Promise<T> {
  const { href } = new URL(chunk, base);
  const needs = chunks.get(href);
  const module = needs?.at(-1);
  if (!needs || !module) return import(/* @vite-ignore */ href) as Promise<T>;
  return importModule<T>(module, needs.slice(0, -1));
}
