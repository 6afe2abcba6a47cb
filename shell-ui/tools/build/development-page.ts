import { integrityOf } from "@tenon/rollup-preset";
import type { OutputChunk } from "rollup";
import { bundle } from "./bundle.ts";
import { firstLoad } from "./first-load.ts";
import { indexPage, type ImportMap, type IndexPageParts } from "./index-page.ts";
import { buildShellCode, type ShellCodeOptions } from "./shell-code.ts";
import { developmentFiles, refreshFile } from "./shared-sources.ts";

const base = "/ui/development/";

export interface DevelopmentPage {
  /** Files by hashed name. */
  assets: ReadonlyMap<string, string>;
  page: string;
}

export interface DevelopmentPageOptions extends Pick<IndexPageParts, "styles" | "font" | "icon"> {
  shell: ShellCodeOptions;
  /** The import map of the page without development. */
  importMap: ImportMap;
  /** The chunks of that page, by URL. */
  chunks: ReadonlyMap<string, OutputChunk>;
}

/**
 * The page of `tenon dev`: the same shell on React's development build, with React Fast Refresh. All else is shared with
 * the page without development.
 */
export async function developmentPage(options: DevelopmentPageOptions): Promise<DevelopmentPage> {
  const { shell, importMap, chunks, ...parts } = options;
  const build = async (
    { file, names, code }: (typeof developmentFiles)[number],
    elsewhere?: Record<string, string>,
  ) => {
    const [chunk] = await bundle({
      entries: { [file]: code },
      virtual: true,
      own: names,
      elsewhere,
      development: true,
    });
    if (!chunk) throw new Error(`no chunk for ${file}`);
    return { names, chunk };
  };
  const refresh = await build(refreshFile);
  const elsewhere = Object.fromEntries(
    refresh.names.map((name) => [name, base + refresh.chunk.fileName]),
  );
  const [shared, code] = await Promise.all([
    Promise.all(developmentFiles.map((file) => build(file, elsewhere))),
    buildShellCode({
      ...shell,
      elsewhere: { ...shell.elsewhere, ...elsewhere },
      development: true,
    }),
  ]);
  const all = [refresh, ...shared];
  const own = [...all.map(({ chunk }) => chunk), ...code];
  const entry = code.find((chunk) => chunk.isEntry);
  if (!entry) throw new Error("the shell has no entry");

  const imports = { ...importMap.imports };
  for (const { names, chunk } of all)
    for (const name of names) imports[name] = base + chunk.fileName;
  const integrity = { ...importMap.integrity };
  for (const { fileName, code } of own) integrity[base + fileName] = integrityOf(code);
  const everything = new Map([
    ...chunks,
    ...own.map((chunk) => [base + chunk.fileName, chunk] as const),
  ]);
  return {
    assets: new Map(own.map(({ fileName, code }) => [fileName, code])),
    page: indexPage({
      ...parts,
      importMap: JSON.stringify({ imports, integrity } satisfies ImportMap),
      entry: base + entry.fileName,
      preload: firstLoad(base + entry.fileName, everything, imports),
      integrity,
    }),
  };
}
