// Builds the documentation site: copies the Markdown of the repository, writes the reference from the sources, and runs
// VitePress. TENON_DOCS_OUT names the folder of the result.
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, posix, relative, resolve } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { build } from "vitepress";
import { buildFrame, readGallery } from "../../shell-ui/gallery/build.ts";
import { galleryIndex, galleryPage } from "./gallery.mjs";
import { componentsOf, openapiPage } from "./openapi.mjs";
import { cHeaderPage, cppHeaderPage, schemaPage, typescriptPage } from "./reference.mjs";

const root = resolve(import.meta.dirname, "../..");
const content = join(import.meta.dirname, ".content");
const out = process.env.TENON_DOCS_OUT;
if (!out) throw new Error("TENON_DOCS_OUT is not set: use ./dev docs");

/** Path in the repository → path of the page without ".md". */
const pages = new Map([
  ["docs/README.md", "index"],
  ["sdk/README.md", "sdk"],
  ["shell-ui/README.md", "ui"],
  ["sdk/examples/README.md", "examples"],
  ["sdk/examples/links/README.md", "examples-links"],
  ["sdk/examples/poll/README.md", "examples-poll"],
  ["sdk/examples/uptime/README.md", "examples-uptime"],
]);
for (const folder of ["docs", "docs/internals"]) {
  for (const name of readdirSync(join(root, folder)).sort()) {
    const path = `${folder}/${name}`;
    if (name.endsWith(".md") && !pages.has(path))
      pages.set(path, path.slice("docs/".length, -".md".length).replace(/README$/, "index"));
  }
}

/** Links to other pages lead to them; links to sources become text. Fenced blocks stay as they are. */
function adaptLinks(text, path) {
  const adapt = (line) =>
    line.replace(/(!?)\[([^\]]*)\]\(([^)\s]+)\)/g, (whole, image, label, target) => {
      if (/^(https?:|mailto:|#)/.test(target)) return whole;
      const [file, anchor] = target.split("#");
      const source = posix.normalize(posix.join(posix.dirname(path), file));
      if (image) return `![${label}](/images/${basename(source)})`;
      const page = pages.get(source);
      if (!page) return label.startsWith("`") ? label : `**${label}**`;
      return `[${label}](/${page}${anchor ? `#${anchor}` : ""})`;
    });
  let isCode = false;
  return text
    .split("\n")
    .map((line) => {
      if (/^\s*```/.test(line)) isCode = !isCode;
      return isCode ? line : adapt(line);
    })
    .join("\n");
}

function write(page, text) {
  const file = join(content, `${page}.md`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** The sections of docs/README.md with their links. */
function sections() {
  const groups = [];
  for (const line of readFileSync(join(root, "docs/README.md"), "utf8").split("\n")) {
    const title = /^## (.+)$/.exec(line)?.[1];
    if (title) groups.push({ text: title, collapsed: true, items: [] });
    const [, text, target] = /^- \[([^\]]+)\]\(([^)#]+)[^)]*\)/.exec(line) ?? [];
    const page = target && pages.get(posix.normalize(posix.join("docs", target)));
    if (page) groups.at(-1).items.push({ text, link: `/${page}` });
  }
  return groups.filter((group) => group.items.length > 0);
}

/** Writes the pages of the reference; returns their groups for the side bar. */
function writeReference() {
  const group = (text, folder, files, toPage) => ({
    text,
    collapsed: true,
    items: files.map((file) => {
      const page = `reference/${folder}/${basename(file).replace(/\.\w+$/, "")}`;
      write(page, toPage(readFileSync(join(root, file), "utf8"), basename(file), file));
      return { text: basename(file), link: `/${page}` };
    }),
  });
  const below = (folder, ending) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith(ending))
      .sort()
      .map((name) => `${folder}/${name}`);
  const packages = ["host", "ui", "testing"].map((name) => {
    const page = `reference/typescript/${name}`;
    write(page, typescriptPage(join(root, "shell-ui/packages", name, "src"), `@tenon/${name}`));
    return { text: `@tenon/${name}`, link: `/${page}` };
  });
  return [
    group("Reference: C ABI", "c", below("sdk/abi/tenon", ".h"), cHeaderPage),
    group("Reference: C++", "cpp", below("sdk/cpp/tenon", ".hpp"), cppHeaderPage),
    { text: "Reference: TypeScript", collapsed: true, items: packages },
    group("Reference: files", "schema", below("sdk/schema", ".json"), schemaPage),
  ];
}

/** Writes a page for each description of the host's own routes. */
function writeHttpApi() {
  const folder = join(root, "host/openapi/core");
  const files = readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => ({
      page: `reference/http/${basename(name, ".json").replace(/^\d-/, "")}`,
      text: readFileSync(join(folder, name), "utf8"),
    }));
  const components = componentsOf(files);
  for (const { page, text } of files) write(page, openapiPage(text, components));
  const items = files.map(({ page }) => ({ text: basename(page), link: `/${page}` }));
  return { text: "Reference: HTTP API of the host", collapsed: true, items };
}

/** Writes the pages of the components; returns their groups for the side bar. */
async function writeGallery() {
  const all = await readGallery();
  write("gallery/index", galleryIndex(all));
  for (const entry of all) write(`gallery/${entry.id}`, galleryPage(entry));
  return Map.groupBy(all, ({ group }) => group)
    .entries()
    .map(([group, members]) => ({
      text: `Components: ${group.toLowerCase()}`,
      collapsed: true,
      items: members.map(({ id, title }) => ({ text: title, link: `/gallery/${id}` })),
    }))
    .toArray();
}

const languages = {
  json: "json",
  cpp: "cpp",
  hpp: "cpp",
  py: "python",
  ts: "ts",
  tsx: "tsx",
  css: "css",
};

/** The files of an example plugin, as code below its README. */
function filesOf(folder) {
  const files = readdirSync(join(root, folder), { recursive: true }).map(String);
  return files
    .filter((file) => file.split(".").at(-1) in languages)
    .sort((one, other) => one.split("/").length - other.split("/").length || (one < other ? -1 : 1))
    .map((file) => {
      const code = readFileSync(join(root, folder, file), "utf8").trimEnd();
      return `\n## ${file}\n\n\`\`\`${languages[file.split(".").at(-1)]}\n${code}\n\`\`\`\n`;
    })
    .join("");
}

/** Moves inline scripts of a page into files, so that the server's policy allows scripts of its own files alone. */
function moveScripts(html) {
  return html.replace(/<script( id="[^"]*")?>([\s\S]+?)<\/script>/g, (_, id = "", code) => {
    const name = `inline.${createHash("sha256").update(code).digest("hex").slice(0, 12)}.js`;
    writeFileSync(join(out, "assets", name), code);
    return `<script${id} src="/docs/assets/${name}"></script>`;
  });
}

function finish(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) finish(path);
    if (entry.name.endsWith(".html")) writeFileSync(path, moveScripts(readFileSync(path, "utf8")));
  }
}

function compress(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) compress(path);
    if (!/\.(html|js|css|json)$/.test(entry.name)) continue;
    const packed = brotliCompressSync(readFileSync(path), {
      params: { [constants.BROTLI_PARAM_QUALITY]: 6 },
    });
    writeFileSync(`${path}.br`, packed);
  }
}

const count = (groups) => groups.reduce((sum, { items }) => sum + items.length, 0);

rmSync(content, { recursive: true, force: true });
rmSync(out, { recursive: true, force: true });
for (const [path, page] of pages) {
  const text = adaptLinks(readFileSync(join(root, path), "utf8"), path);
  write(page, page.startsWith("examples-") ? text + filesOf(posix.dirname(path)) : text);
}
if (existsSync(join(root, "docs/images")))
  cpSync(join(root, "docs/images"), join(content, "public/images"), { recursive: true });
const ofServer = ["commands", "configuration", "errors"].map((page) => ({
  text: page,
  link: `/${page}`,
}));
const reference = [
  { text: "Reference: server", collapsed: true, items: ofServer },
  writeHttpApi(),
  ...writeReference(),
];
const components = await writeGallery();
const sidebar = [...sections(), ...components, ...reference];
writeFileSync(join(content, "sidebar.json"), JSON.stringify(sidebar));
await build(import.meta.dirname);
await buildFrame(out, "/docs/");
finish(out);
compress(out);
console.log(
  `${pages.size} pages, ${count(components)} of components and ${count(reference)} of the reference: ${relative(root, out)}`,
);
