import { execFile } from "node:child_process";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { buildPlugin } from "@tenon/rollup-preset";
import { binary } from "./host.mjs";

const run = promisify(execFile);
const source = join(process.env.DEV_BUILD ?? "build/dev", "tests/plugins/zoo/multi_version/multi-version");
const pages = fileURLToPath(new URL("../fixtures/multi-version-ui", import.meta.url));
const machine = { x64: "x86_64", arm64: "aarch64" }[process.arch] ?? process.arch;

export const items = {
  name: "items",
  publish: true,
  rules: { read: "true", create: "true", update: "true" },
  fields: [{ name: "title", type: "text" }],
};
const slow = { name: "slow", fields: [{ name: "version", type: "text" }] };
export const itemsDone = {
  ...items,
  fields: [...items.fields, { name: "done", type: "boolean", required: true, default: false }],
};
export const use = { id: "multi-version.use", title: "Use it", roles: ["admin", "member"] };

async function buildPages(root, version, out) {
  await rm(root, { recursive: true, force: true });
  await cp(pages, root, { recursive: true });
  await writeFile(join(root, "src/version.ts"), `export const version: string = "${version}";\n`);
  const css = join(root, "src/version.css");
  const own = `.multi-version-${version.replaceAll(".", "-")} {\n  top: 0;\n}\n`;
  await writeFile(css, (await readFile(css, "utf8")) + own);
  await buildPlugin({ id: "multi-version", root, out });
}

/**
 * Makes keys and packages by the program itself.
 * @param {string} folder where they are written
 */
export function packagesIn(folder) {
  const plugin = (...args) => run(binary, ["plugin", ...args]);
  return {
    /** The text of the public key. */
    async key(name) {
      await plugin("keygen", join(folder, name), "--no-password");
      return readFile(join(folder, `${name}.pub`), "utf8");
    },
    /**
     * The file of a signed package of the plugin `multi-version` in a version.
     * @param {string} version five signs, as that in the library; its pages, where it has them, show it
     * @param {{ key?: string, table?: object, hasPages?: boolean, migrations?: Record<string, string> }} [options] and other members of
     *   the manifest; `migrations`: names of files, and their text
     */
    async make(
      version,
      { key = "acme", table = items, hasPages = false, migrations = {}, ...manifest } = {},
    ) {
      const at = join(folder, `${version}-${key}`, "multi-version");
      await rm(at, { recursive: true, force: true });
      await cp(source, at, { recursive: true });
      const library = join(at, "lib", machine, "multi-version.so");
      const code = (await readFile(library)).toString("latin1");
      await writeFile(library, code.replaceAll("1.0.0", version), "latin1");
      const own = JSON.parse(await readFile(join(at, "plugin.json"), "utf8"));
      const description = "Keeps a list of things that grow";
      await writeFile(
        join(at, "plugin.json"),
        JSON.stringify({ ...own, name: "Garden", description, version, ...manifest }),
      );
      await writeFile(join(at, "tables.json"), JSON.stringify({ tables: [table, slow] }));
      await mkdir(join(at, "migrations"), { recursive: true });
      for (const [name, text] of Object.entries(migrations))
        await writeFile(join(at, "migrations", name), text);
      if (hasPages) await buildPages(join(folder, `pages-${version}`), version, join(at, "ui"));
      const file = join(folder, `multi-version-${version}-${key}.tenon`);
      await plugin("pack", at, "--output", file);
      await plugin("sign", file, "--key", join(folder, `${key}.key`));
      return file;
    },
  };
}

/**
 * Installs a package over HTTP, with every consent that it asks for.
 * @param {string} url of the server
 * @param {{ login: string, password: string }} who an admin
 * @param {string} file
 */
export async function install(url, { login, password }, file) {
  const send = async (path, type, body, cookie = "") => {
    const headers = { "Content-Type": type, Cookie: cookie };
    const response = await fetch(url + path, { method: "POST", headers, body });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response;
  };
  const json = (path, body, cookie) => send(path, "application/json", JSON.stringify(body), cookie);
  const session = await json("/api/core/session", { login, password });
  const cookie = session.headers.get("set-cookie").split(";", 1)[0];
  const bytes = await readFile(file);
  const sent = await send("/api/core/plugins/plan", "application/octet-stream", bytes, cookie);
  const plan = await sent.json();
  const consents = plan.consents.map(({ code }) => code);
  await json("/api/core/plugins", { package: plan.package, consents }, cookie);
}
