import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitepress";

// build.mjs writes the pages and the side bar into this folder.
const content = join(import.meta.dirname, "..", ".content");

export default defineConfig({
  srcDir: content,
  outDir: process.env.TENON_DOCS_OUT,
  cacheDir: join(content, ".cache"),
  base: "/docs/",
  lang: "en-GB",
  title: "Tenon",
  description: "Documentation of Tenon: run a server, write plugins.",
  metaChunk: true,
  lastUpdated: false,
  markdown: {
    // Anchors as in the repository's own view of Markdown. tools/dev/lint.py checks links by the same rule.
    anchor: {
      slugify: (title) =>
        title
          .toLowerCase()
          .replace(/[^\p{L}\p{N}_\s-]/gu, "")
          .replace(/\s/g, "-"),
    },
    // "<id>" in a text is no HTML, and "{{" is no template of Vue.
    html: false,
    config(md) {
      // "```example ID HEIGHT TITLE" shows an example of the gallery.
      const { fence } = md.renderer.rules;
      md.renderer.rules.fence = (tokens, index, ...rest) => {
        const [kind, id, height, ...title] = tokens[index].info.split(" ");
        if (kind !== "example") return fence(tokens, index, ...rest);
        const name = md.utils.escapeHtml(title.join(" "));
        return `<GalleryExample id="${id}" :height="${Number(height)}" title="${name}" />`;
      };
      md.renderer.rules.text = (tokens, index) =>
        md.utils.escapeHtml(tokens[index].content).replaceAll("{{", "&#123;&#123;");
    },
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
  },
  vite: { build: { chunkSizeWarningLimit: 8192 }, logLevel: "warn" },
  themeConfig: {
    search: { provider: "local" },
    outline: { level: [2, 3] },
    sidebar: JSON.parse(readFileSync(join(content, "sidebar.json"), "utf8")),
    nav: [
      { text: "Write a plugin", link: "/write-a-plugin" },
      { text: "Components", link: "/gallery/" },
      { text: "Run a server", link: "/configuration" },
      { text: "Errors", link: "/errors" },
    ],
  },
});
