import { build } from "esbuild";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { entries } from "./entries.ts";
import { readProps, type ComponentProps } from "./props.ts";

const folder = import.meta.dirname;
const require = createRequire(import.meta.url);

/** The content of a page of the gallery. */
export interface GalleryPage {
  id: string;
  title: string;
  group: string;
  module: string;
  summary: string;
  height: number;
  /** The source of the example. */
  code: string;
  components: readonly ComponentProps[];
}

/** The texts of all pages, from the sources. */
export async function readGallery(): Promise<GalleryPage[]> {
  const props = readProps(entries.flatMap(({ components }) => components));
  return Promise.all(
    entries.map(async ({ id, title, group, module, summary, height = 0, components }) => ({
      id,
      title,
      group,
      module,
      summary,
      height,
      code: await readFile(join(folder, "examples", `${id}.tsx`), "utf8"),
      components: components.flatMap((name) => props.get(name) ?? []),
    })),
  );
}

/** Writes the page with the examples as `<out>/gallery/frame.html`, and its files to `<out>/assets`; `base` is the URL of `out`. */
export async function buildFrame(out: string, base: string): Promise<void> {
  const { metafile } = await build({
    entryPoints: { gallery: join(folder, "frame.tsx") },
    absWorkingDir: folder,
    outdir: join(out, "assets"),
    bundle: true,
    splitting: true,
    format: "esm",
    target: "es2022",
    minify: true,
    metafile: true,
    jsx: "automatic",
    entryNames: "[name].[hash]",
    chunkNames: "gallery-[name].[hash]",
    assetNames: "gallery-[name].[hash]",
    define: { "process.env.NODE_ENV": '"production"' },
    loader: { ".woff2": "file" },
    plugins: [
      {
        name: "font",
        setup(bundler) {
          const font = "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2";
          bundler.onResolve({ filter: /^\.?\/?inter\.woff2$/ }, () => ({
            path: require.resolve(font),
          }));
        },
      },
    ],
    logLevel: "warning",
  });
  const [entry, { cssBundle = "" } = {}] =
    Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === "frame.tsx") ?? [];
  if (!entry) throw new Error("the gallery has no entry");
  const url = (file: string) => `${base}assets/${file.split("/").at(-1)}`;
  await mkdir(join(out, "gallery"), { recursive: true });
  await writeFile(
    join(out, "gallery/frame.html"),
    `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <meta name="robots" content="noindex" />
    <title>Examples of components</title>
    <link id="react-aria-pressable-style" rel="stylesheet" href="${url(cssBundle)}" />
    <script type="module" src="${url(entry)}"></script>
  </head>
  <body>
    <main></main>
  </body>
</html>
`,
  );
}
