import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import {
  buildPlugin,
  integrityOf,
  type PluginBuildOptions,
  type PluginUiManifest,
} from "../src/index.ts";

const modules = fileURLToPath(new URL("../../../node_modules", import.meta.url));
const folders: string[] = [];

const entry = `import { definePlugin } from "@tenon/host";
export default definePlugin({ id: "demo", routes: [] });`;

/** Makes a package of the given files next to the modules of the workspace. */
async function plugin(files: Record<string, string>, dependencies: Record<string, string> = {}) {
  const root = await mkdtemp(join(tmpdir(), "tenon-preset-"));
  folders.push(root);
  await symlink(modules, join(root, "node_modules"));
  const all = { "package.json": JSON.stringify({ type: "module", dependencies }), ...files };
  for (const [name, text] of Object.entries(all)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), text);
  }
  return root;
}

async function build(root: string, options: Partial<PluginBuildOptions> = {}) {
  const out = join(root, "dist");
  await buildPlugin({ id: "demo", root, out, ...options });
  const read = (name: string) => readFile(join(out, name), "utf8");
  const manifest = JSON.parse(await read("manifest.json")) as PluginUiManifest;
  return { out, read, manifest, names: await readdir(out) };
}

afterEach(async () => {
  await Promise.all(
    folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true })),
  );
});

describe("plugin build", () => {
  it("keeps shared modules external and hashes files", async () => {
    const root = await plugin({
      "src/index.tsx": `import { definePlugin } from "@tenon/host";
        import { useState } from "react";
        import { Page } from "@tenon/ui";
        function List() { const [n] = useState(1); return <Page title="Demo">{n}</Page>; }
        export default definePlugin({ id: "demo", routes: [{ index: true, page: List }] });`,
    });
    const { manifest, read } = await build(root);
    expect(manifest.entry).toMatch(/^entry\.\w{10}\.js$/);
    expect(manifest.integrity).toBe(integrityOf(await read(manifest.entry)));
    expect(manifest.styles).toEqual([]);
    for (const { href, integrity } of manifest.preload)
      expect(integrity).toBe(integrityOf(await read(href)));
    const code = await read(manifest.preload[0]?.href ?? "");
    for (const name of ["react", "react/jsx-runtime", "@tenon/host", "@tenon/ui"]) {
      expect(code).toContain(`from"${name}"`);
    }
  });

  it("lists bundled packages with their licenses", async () => {
    const root = await plugin(
      {
        "src/index.ts": `import { definePlugin } from "@tenon/host";
          import { parse } from "es-module-lexer/js";
          export default definePlugin({ id: "demo", routes: [], start: parse });`,
      },
      { "es-module-lexer": "*" },
    );
    const { read } = await build(root, { entry: "src/index.ts" });
    const [only, ...others] = JSON.parse(await read("licenses.json")) as object[];
    expect(only).toMatchObject({ name: "es-module-lexer", license: "MIT" });
    expect(others).toEqual([]);
    expect(await read("licenses.txt")).toContain("Permission is hereby granted");
  });

  it("adds integrity to lazy chunks without preloading them", async () => {
    const root = await plugin({
      "src/index.ts": `import { definePlugin } from "@tenon/host";
        export default definePlugin({ id: "demo", routes: [{ path: "x", load: () => import("./later.ts") }] });`,
      "src/later.ts": `export default function Later() { return "later"; }`,
    });
    const { manifest, read, names } = await build(root, { entry: "src/index.ts" });
    const later = names.find((name) => /^later\.\w+\.js$/.test(name)) ?? "";
    expect(await read(manifest.entry)).toContain(integrityOf(await read(later)));
    expect(manifest.preload.map(({ href }) => href)).not.toContain(later);
    const main = await read(manifest.preload[0]?.href ?? "");
    expect(main).toContain("importChunk");
    expect(main).not.toMatch(/\bimport\(/);
  });

  it("keeps lazily imported shared modules external", async () => {
    const root = await plugin({
      "src/index.ts": `import { definePlugin } from "@tenon/host";
        export default definePlugin({ id: "demo", routes: [
          { path: "x", load: () => import("./later.ts") },
          { path: "y", load: async () => ({ default: (await import("@tenon/ui/forms")).PeoplePicker }) },
        ] });`,
      "src/later.ts": `export default function Later() { return "later"; }`,
    });
    const { manifest, read } = await build(root, { entry: "src/index.ts" });
    const main = await read(manifest.preload[0]?.href ?? "");
    expect(main.match(/\bimport\([^)]*\)/g)).toEqual([`import("@tenon/ui/forms")`]);
    expect(await read(manifest.entry)).not.toContain("@tenon/ui/forms");
  });

  it("writes compressed siblings of large files", async () => {
    const root = await plugin({
      "src/index.ts": entry,
      "src/style.css": "",
    });
    await writeFile(join(root, "src/index.ts"), `import "./style.css"; ${entry}`);
    await writeFile(
      join(root, "src/style.css"),
      Array.from({ length: 80 }, (_, index) => `.a${index} { padding: ${index}px; }`).join("\n"),
    );
    const { out, manifest } = await build(root, { entry: "src/index.ts" });
    const sheet = join(out, manifest.styles[0]?.href ?? "");
    expect(existsSync(`${sheet}.br`)).toBe(true);
    expect(existsSync(`${sheet}.gz`)).toBe(true);
  });

  it("bundles dependencies and only the icons in use", async () => {
    const root = await plugin(
      {
        "src/index.tsx": `import { House, Box as Package } from "lucide-react";
          import { definePlugin } from "@tenon/host";
          const Page = () => <><House /><Package /></>;
          export default definePlugin({ id: "demo", routes: [{ index: true, page: Page }] });`,
      },
      { "lucide-react": "*" },
    );
    const { manifest, read } = await build(root);
    const code = await read(manifest.preload[0]?.href ?? "");
    expect(code).toContain("createIcon");
    expect(code.length).toBeLessThan(1_500);
  });
});

describe("plugin styles", () => {
  const withCss = (css: string) =>
    plugin({ "src/index.ts": `import "./style.css"; ${entry}`, "src/style.css": css });

  it("are scoped to the plugin's pages", async () => {
    const root = await withCss(
      `.title { color: red; & b { animation: demo-in 1s } } @keyframes demo-in { from { opacity: 0 } }`,
    );
    const { manifest, read } = await build(root, { entry: "src/index.ts" });
    const css = await read(manifest.styles[0]?.href ?? "");
    expect(css).toMatch(/^@layer tenon\.plugins\{@keyframes demo-in/);
    expect(css).toMatch(
      /@scope\s*\(\[data-plugin="?demo"?\]\) to \(:scope \[data-plugin\]\)\{\.title/,
    );
  });

  it.each([
    ["body { margin: 0 }", /:scope/],
    [":root { --x: 1 }", /:scope/],
    ["@keyframes spin { from { opacity: 0 } }", /name it demo-/],
    ['@import "./other.css";', /@import/],
  ])("refuse %s", async (css, reason) => {
    await expect(build(await withCss(css), { entry: "src/index.ts" })).rejects.toThrow(reason);
  });
});

describe("preset refuses", () => {
  const refuses = async (
    code: string,
    reason: RegExp,
    dependencies: Record<string, string> = {},
  ) => {
    const root = await plugin({ "src/index.ts": `${code}\n${entry}` }, dependencies);
    await expect(build(root, { entry: "src/index.ts" })).rejects.toThrow(reason);
    expect(existsSync(join(root, "dist", "manifest.json"))).toBe(false);
  };

  it("an unlisted bare import", () =>
    refuses(`import "esbuild";`, /"esbuild" is not shared by the page.*"dependencies"/));

  it("an unshared part of a shared package", () =>
    refuses(
      `import { renderToString } from "react-dom/server"; console.log(renderToString);`,
      /"react-dom\/server" is not shared/,
    ));

  it("the shell's private part of @tenon/ui", () =>
    refuses(`import { Button } from "@tenon/ui/frame"; console.log(Button);`, /not shared/));

  it("an export that a shared module lacks", () =>
    refuses(
      `import { createBrowserRouter } from "react-router"; console.log(createBrowserRouter);`,
      /"react-router" is shared without createBrowserRouter/,
    ));

  it("a second React imported by path", () =>
    refuses(
      `import React from "../node_modules/react/index.js"; console.log(React.version);`,
      /would be a second react/,
    ));

  it("a second React that is listed", () =>
    refuses(`import "react/compiler-runtime";`, /second react must not be bundled/, {
      react: "*",
    }));

  it("a bundle over its budget", async () => {
    const noise = Array.from({ length: 9_000 }, (_, index) => `"${Math.sin(index).toString(36)}"`);
    const root = await plugin({
      "src/index.ts": `import { noise } from "./noise.ts"; console.log(noise); ${entry}`,
      "src/noise.ts": `export const noise = [${noise.join(",")}];`,
    });
    await expect(build(root, { entry: "src/index.ts" })).rejects.toThrow(
      /over its budget of 50 KB/,
    );
    await expect(
      build(root, { entry: "src/index.ts", budget: { entry: 200, reason: " " } }),
    ).rejects.toThrow(/needs a reason/);
    const { manifest } = await build(root, {
      entry: "src/index.ts",
      budget: { entry: 200, reason: "a test" },
    });
    expect(manifest.preload).toHaveLength(1);
    expect(manifest.budget).toEqual({ entry: 200, reason: "a test" });
  });

  it("an entry without a default export", async () => {
    const root = await plugin({ "src/index.ts": `export const plugin = 1;` });
    await expect(build(root, { entry: "src/index.ts" })).rejects.toThrow(/default/);
  });
});
