import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Plugin } from "rollup";

/** Tag and attributes of one shape. */
export type IconShapes = readonly (readonly [string, Readonly<Record<string, string>>])[];

interface IconModule {
  __iconData?: { node: readonly (readonly [string, Readonly<Record<string, string>>])[] };
}

const prefix = "\0lucide:";
const importPattern = /import\s*\{([^}]*)\}\s*from\s*["']lucide-react["'];?/g;

function iconsFolder(): string {
  const require = createRequire(import.meta.resolve("@tenon/ui"));
  return join(dirname(require.resolve("lucide-react")), "..", "esm", "icons");
}

/** Shapes of an icon by the name of its file, without React's keys. */
export async function readIcon(file: string): Promise<IconShapes | null> {
  const url = pathToFileURL(join(iconsFolder(), `${file}.mjs`)).href;
  const { __iconData: data } = (await import(url)) as IconModule;
  return data ? data.node.map(([tag, { key: _, ...attributes }]) => [tag, attributes]) : null;
}

/** Names of all icons, without their aliases. */
export async function readIconNames(): Promise<string[]> {
  return [...new Set((await (files ??= readNames())).values())].sort();
}

let files: Promise<Map<string, string>> | undefined;

/** File of each name that lucide-react exports. */
async function readNames(): Promise<Map<string, string>> {
  const index = await readFile(join(iconsFolder(), "..", "lucide-react.mjs"), "utf8");
  const names = new Map<string, string>();
  for (const [, list = "", file = ""] of index.matchAll(
    /export \{([^}]*)\} from '\.\/icons\/([^']+)\.mjs'/g,
  )) {
    for (const [, name = ""] of list.matchAll(/default as (\w+)/g)) names.set(name, file);
  }
  return names;
}

/**
 * Takes the shapes out of `lucide-react` and leaves its runtime: an icon is one call of `createIcon`,
 * which the page has once.
 */
export function lucide(createIconFrom = "@tenon/ui"): Plugin {
  return {
    name: "tenon:lucide",
    resolveId: { order: "pre", handler: (source) => (source.startsWith(prefix) ? source : null) },
    async load(id) {
      if (!id.startsWith(prefix)) return null;
      const name = id.slice(prefix.length);
      const file = (await (files ??= readNames())).get(name);
      const shapes = file && (await readIcon(file));
      if (!shapes) return this.error(`lucide-react has no icon ${name}`);
      const code =
        `import { createIcon } from ${JSON.stringify(createIconFrom)};\n` +
        `export default /* @__PURE__ */ createIcon(${JSON.stringify(shapes)});`;
      return { code, moduleSideEffects: false };
    },
    transform(code, id) {
      if (id.includes("node_modules") || !code.includes("lucide-react")) return null;
      const rewritten = code.replace(importPattern, (_all, list: string) =>
        list
          .split(",")
          .map((item) => item.trim().split(/\s+as\s+/))
          .filter(([name]) => name)
          .map(([name, local = name]) => `import ${local} from ${JSON.stringify(prefix + name)};`)
          .join(" "),
      );
      return { code: rewritten, map: null };
    },
  };
}
