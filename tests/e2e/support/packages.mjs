import { execFile } from "node:child_process";
import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { binary } from "./host.mjs";

const run = promisify(execFile);
const source = join(process.env.DEV_BUILD ?? "build/dev", "tests/plugins/zoo/grows/grows");
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
export const use = { id: "grows.use", title: "Use it", roles: ["admin", "member"] };

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
     * The file of a signed package of the plugin `grows` in a version.
     * @param {string} version five signs, as that in the library
     */
    async make(version, { key = "acme", table = items, ...manifest } = {}) {
      const at = join(folder, `${version}-${key}`, "grows");
      await rm(at, { recursive: true, force: true });
      await cp(source, at, { recursive: true });
      const library = join(at, "lib", machine, "grows.so");
      const code = (await readFile(library)).toString("latin1");
      await writeFile(library, code.replaceAll("1.0.0", version), "latin1");
      const own = JSON.parse(await readFile(join(at, "plugin.json"), "utf8"));
      const description = "Keeps a list of things that grow";
      await writeFile(
        join(at, "plugin.json"),
        JSON.stringify({ ...own, name: "Grows", description, version, ...manifest }),
      );
      await writeFile(join(at, "tables.json"), JSON.stringify({ tables: [table, slow] }));
      const file = join(folder, `grows-${version}-${key}.tenon`);
      await plugin("pack", at, "--output", file);
      await plugin("sign", file, "--key", join(folder, `${key}.key`));
      return file;
    },
  };
}
