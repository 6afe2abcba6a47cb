import { compressFolder, contentHash, integrityOf } from "@tenon/rollup-preset";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { apiDocs } from "./api-docs.ts";
import { bundle, type BundleOptions } from "./bundle.ts";
import { developmentPage } from "./development-page.ts";
import { firstLoad } from "./first-load.ts";
import { iconData } from "./icon-data.ts";
import { indexPage, type ImportMap } from "./index-page.ts";
import { ariaFiles, sharedFiles, uiFiles, type SharedFile } from "./shared-sources.ts";
import { pageStyles } from "./page-styles.ts";
import { buildShellCode } from "./shell-code.ts";
import { bundleStyles } from "./styles.ts";

const base = "/ui/assets/";
const root = fileURLToPath(new URL("../..", import.meta.url));
const fontFile = "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2";

const icon =
  "data:image/svg+xml," +
  encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20" fill="#5b5bd6"><path d="M2 4.5A2.5 2.5 0 0 1 4.5 2h11A2.5 2.5 0 0 1 18 4.5V9h-4.5V6.500h-7V9H2Z"/><path d="M8 8h4v3h6v4.500a2.500 2.500 0 0 1-2.500 2.500h-11A2.500 2.500 0 0 1 2 15.500V11h6Z" opacity=".55"/></svg>',
  );

async function buildShared(
  files: readonly SharedFile[],
  options: Pick<BundleOptions, "base" | "createIconFrom" | "elsewhere" | "plugins"> = {},
) {
  return bundle({
    entries: Object.fromEntries(files.map(({ file, code }) => [file, code])),
    virtual: true,
    own: files.flatMap(({ names }) => names),
    ...options,
  });
}

/** Builds shell and shared modules into `out`, and the page of `tenon dev` into its folder `development`. */
export async function buildShell(out: string): Promise<void> {
  const sheets = new Map<string, string>();
  const styles = pageStyles(base, ({ fileName, source }) => void sheets.set(fileName, source));
  const ui = await buildShared(uiFiles, {
    base: "ui-frame",
    plugins: [styles],
    createIconFrom: join(root, "packages/ui/src/kit/create-icon.tsx"),
  });
  const frame = ui.find(({ name }) => name === "ui-frame");
  if (!frame) throw new Error("no chunk for ui-frame");
  const elsewhere = { "@tenon/ui/frame": base + frame.fileName };
  const icons = await iconData();
  const shellCode = { elsewhere, icons: base + icons.folder, styles };
  const [shared, aria, shell, css, font, docs] = await Promise.all([
    Promise.all(sharedFiles.map((file) => buildShared([file]))),
    buildShared(ariaFiles, { elsewhere, plugins: [styles] }),
    buildShellCode(shellCode),
    bundleStyles(join(root, "shell/src/styles/index.css")),
    readFile(fileURLToPath(import.meta.resolve(fontFile))),
    apiDocs({ source: join(root, "shell/src/api-docs"), base, icon }),
  ]);
  const chunks = [...shared.flat(), ...ui, ...aria, ...shell];
  const entry = shell.find((chunk) => chunk.isEntry);
  if (!entry) throw new Error("the shell has no entry");

  const fontName = `inter.${contentHash(font)}.woff2`;
  const sheet = css.replaceAll("inter.woff2", fontName);
  const sheetName = `shell.${contentHash(sheet)}.css`;
  sheets.set(sheetName, sheet);

  const imports: ImportMap["imports"] = {};
  for (const { file, names } of [...sharedFiles, ...uiFiles, ...ariaFiles]) {
    const chunk = chunks.find(({ isEntry, name }) => isEntry && name === file);
    if (!chunk) throw new Error(`no chunk for ${file}`);
    for (const name of names) imports[name] = base + chunk.fileName;
  }
  const integrity = Object.fromEntries(
    chunks.map(({ fileName, code }) => [base + fileName, integrityOf(code)]),
  );
  const importMap = JSON.stringify({ imports, integrity } satisfies ImportMap);
  const byUrl = new Map(chunks.map((chunk) => [base + chunk.fileName, chunk]));
  const parts = {
    styles: { href: base + sheetName, integrity: integrityOf(sheet) },
    font: base + fontName,
    icon,
  };
  const development = await developmentPage({
    ...parts,
    shell: shellCode,
    importMap: { imports, integrity },
    chunks: byUrl,
  });

  await rm(out, { recursive: true, force: true });
  await mkdir(join(out, "assets", icons.folder), { recursive: true });
  await mkdir(join(out, "development/assets"), { recursive: true });
  await Promise.all([
    ...chunks.map(({ fileName, code }) => writeFile(join(out, "assets", fileName), code)),
    ...[...icons.files].map(([name, text]) =>
      writeFile(join(out, "assets", icons.folder, name), text),
    ),
    writeFile(join(out, "assets", fontName), font),
    ...[...sheets].map(([name, text]) => writeFile(join(out, "assets", name), text)),
    ...[...docs.assets].map(([name, text]) => writeFile(join(out, "assets", name), text)),
    writeFile(join(out, "api-docs.html"), docs.page),
    writeFile(join(out, "importmap.json"), importMap),
    writeFile(
      join(out, "index.html"),
      indexPage({
        ...parts,
        importMap,
        entry: base + entry.fileName,
        preload: firstLoad(base + entry.fileName, byUrl, imports),
        integrity,
      }),
    ),
    writeFile(join(out, "development/index.html"), development.page),
    ...[...development.assets].map(([name, text]) =>
      writeFile(join(out, "development/assets", name), text),
    ),
  ]);
  await compressFolder(join(out, "assets"));
}
