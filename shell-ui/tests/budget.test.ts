import { gzipSize, integrityOf, sharedNames } from "@tenon/rollup-preset";
import { init, parse } from "es-module-lexer";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildShell } from "../tools/build/build-shell.ts";
import type { ImportMap } from "../tools/build/index-page.ts";

// Bytes as ui.md counts them: a kilobyte is 1,000.
const budget = { gzip: 105_000, brotli: 95_000, css: 6_000, requests: 12 };

const built = process.env.TENON_UI_OUT;
let out: string;
let page: string;
let map: ImportMap;

const read = (href: string) => readFile(join(out, href.replace("/ui/", "")));
const all = (pattern: RegExp) => [...page.matchAll(pattern)].map(([, href = ""]) => href);

beforeAll(async () => {
  if (built && existsSync(join(built, "index.html"))) {
    out = built;
  } else {
    out = await mkdtemp(join(tmpdir(), "tenon-ui-"));
    await buildShell(out);
  }
  page = await readFile(join(out, "index.html"), "utf8");
  map = JSON.parse(await readFile(join(out, "importmap.json"), "utf8")) as ImportMap;
});

afterAll(async () => {
  if (out !== built) await rm(out, { recursive: true, force: true });
});

describe("built page", () => {
  it("contains only the expected inline script", () => {
    expect(page).toContain(`<script type="importmap">${JSON.stringify(map)}</script>`);
    expect(page.match(/<!--tenon:boot-->/g)).toHaveLength(1);
    expect(all(/<(script)(?![^>]*(?:importmap| src=))/g)).toEqual([]);
    expect(page).not.toMatch(/<style|\sstyle=|\son\w+=/);
  });

  it("shares exactly the promised modules", () => {
    expect(Object.keys(map.imports).sort()).toEqual([...sharedNames].sort());
  });

  it("shares exactly the promised exports", async () => {
    await init;
    const lines: string[] = [];
    for (const [name, href] of Object.entries(map.imports)) {
      const [, exported] = parse((await read(href)).toString());
      lines.push(
        `${name}\n${exported
          .map(({ n }) => `  ${n}\n`)
          .sort()
          .join("")}`,
      );
    }
    // Public API: a name may be added, and goes only with a major version.
    await expect(lines.join("\n")).toMatchFileSnapshot("./shared-modules.txt");
  });

  it("lists the integrity of every script", async () => {
    expect(Object.keys(map.integrity).length).toBeGreaterThan(10);
    for (const [href, integrity] of Object.entries(map.integrity)) {
      expect(integrityOf(await read(href)), href).toBe(integrity);
    }
    for (const href of Object.values(map.imports)) expect(map.integrity).toHaveProperty([href]);
    for (const tag of page.match(/<(?:script|link)[^>]*(?:src=|modulepreload|stylesheet)[^>]*>/g) ??
      []) {
      expect(tag).toContain('integrity="sha384-');
    }
  });

  it("names no host and no local path", () => {
    expect(page.replace(/http:\/\/www\.w3\.org|http%3A%2F%2Fwww\.w3\.org/g, "")).not.toMatch(
      /https?:|file:|\/home\/|\/work\//,
    );
  });

  it("stays within its budget", async () => {
    const scripts = [
      ...all(/modulepreload" href="([^"]+)/g),
      ...all(/<script type="module" src="([^"]+)/g),
    ];
    const sheets = all(/stylesheet" href="([^"]+)/g);
    const fonts = all(/preload" href="([^"]+)" as="font"/g);
    const total = async (hrefs: string[], size: (content: Buffer) => number) => {
      const files = await Promise.all(hrefs.map(read));
      return files.reduce((sum, file) => sum + size(file), 0);
    };
    const figures = {
      gzip: await total(scripts, gzipSize),
      brotli: await total(scripts, (content) => brotliCompressSync(content).length),
      css: await total(sheets, gzipSize),
      // The page itself and the event stream come on top.
      requests: scripts.length + sheets.length + fonts.length + 2,
    };
    console.log("first load:", figures);
    expect(figures.gzip).toBeLessThanOrEqual(budget.gzip);
    expect(figures.brotli).toBeLessThanOrEqual(budget.brotli);
    expect(figures.css).toBeLessThanOrEqual(budget.css);
    expect(figures.requests).toBeLessThanOrEqual(budget.requests);
  });

  it("preloads exactly the static imports of its entry", async () => {
    const preloaded = new Set(all(/modulepreload" href="([^"]+)/g));
    const [entry = ""] = all(/<script type="module" src="([^"]+)/g);
    const needed = new Set<string>();
    const visit = async (href: string) => {
      const code = (await read(href)).toString();
      for (const [, name = ""] of code.matchAll(
        /(?:^|[;}])(?:import|export)[^;"'()]*["']([^"']+)["']/g,
      )) {
        const next = map.imports[name] ?? new URL(name, `http://x${href}`).pathname;
        if (needed.has(next)) continue;
        needed.add(next);
        await visit(next);
      }
    };
    await visit(entry);
    expect([...needed].sort()).toEqual([...preloaded].sort());
  });
});

describe("page of tenon dev", () => {
  const mapOf = (html: string) =>
    JSON.parse(/"importmap">(.*?)<\/script>/.exec(html)?.[1] ?? "{}") as ImportMap;
  const file = (href: string) =>
    href.startsWith("/ui/development/")
      ? readFile(join(out, href.replace("/ui/development/", "development/assets/")))
      : read(href);

  it("replaces React and the shell only", async () => {
    const development = mapOf(await readFile(join(out, "development/index.html"), "utf8"));
    const replaced = Object.entries(development.imports)
      .filter(([name, href]) => map.imports[name] !== href)
      .map(([name]) => name);
    expect(replaced.sort()).toEqual([
      "react",
      "react-dom",
      "react-dom/client",
      "react-refresh/runtime",
      "react/jsx-dev-runtime",
      "react/jsx-runtime",
    ]);
    for (const [href, integrity] of Object.entries(development.integrity))
      expect(integrityOf(await file(href)), href).toBe(integrity);
  });

  it("has the same exports of React", async () => {
    await init;
    const development = mapOf(await readFile(join(out, "development/index.html"), "utf8"));
    const exported = async (href: string) =>
      parse((await file(href)).toString())[1]
        .map(({ n }) => n)
        .sort();
    for (const name of ["react", "react-dom"])
      expect(await exported(development.imports[name] ?? "")).toEqual(
        await exported(map.imports[name] ?? ""),
      );
  });

  it("leaves nothing in the other page", async () => {
    expect(page).not.toMatch(/development|refresh/);
    const scripts = (await readdir(join(out, "assets"))).filter((name) => name.endsWith(".js"));
    const found = [];
    for (const name of scripts)
      if (
        /performReactRefresh|react-refresh|\/ui\/development/.test(
          (await read(`assets/${name}`)).toString(),
        )
      )
        found.push(name);
    expect(found).toEqual([]);
  });
});
