import { execFile } from "node:child_process";
import { createReadStream } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, normalize } from "node:path";
import { promisify } from "node:util";
import { binary } from "./host.mjs";

const run = promisify(execFile);
const source = join(process.env.DEV_BUILD ?? "build/dev", "tests/plugins/zoo/blank/blank");
const machine = { x64: "x86_64", arm64: "aarch64" }[process.arch] ?? process.arch;

/**
 * Makes a registry in a folder of its own, served by a web server that can be made to fail.
 * @typedef {object} Registry
 * @property {string} url
 * @property {Record<string, string>} environment the variables that name the registry to a server
 * @property {(name: string) => Promise<string>} key the public key of a signer, made when it is asked for first
 * @property {(id: string, version: string, options?: object) => Promise<void>} put adds a package of a plugin that runs; its id and its
 *   version have five letters each. `files` are added to its own, `icon` names its icon, other options go into the manifest
 * @property {() => Promise<void>} build signs the index of the packages
 * @property {(behaves: null | ((path: string, response: import("node:http").ServerResponse) => boolean)) => void} behave replaces a
 *   response of the web server; returns true if it has responded
 * @property {() => Promise<void>} stop
 */

/** @returns {Promise<Registry>} */
export async function makeRegistry() {
  const root = await mkdtemp(join(tmpdir(), "tenon-e2e-registry-"));
  const folder = join(root, "registry");
  await mkdir(join(folder, "keys"), { recursive: true });
  const tenon = (...args) => run(binary, args);
  const made = new Map();
  let behaves = null;

  const makeKey = async (name) => {
    await tenon("plugin", "keygen", join(root, name), "--no-password");
    return readFile(join(root, `${name}.pub`), "utf8");
  };
  const key = (name) => {
    if (!made.has(name)) made.set(name, makeKey(name));
    return made.get(name);
  };
  await key("registry");

  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url, "http://registry").pathname);
    if (behaves?.(path, response)) return;
    const file = join(folder, path);
    stat(file).then(
      ({ size }) => {
        response.writeHead(200, { "Content-Length": size });
        createReadStream(file).pipe(response);
      },
      () => response.writeHead(404).end(),
    );
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${server.address().port}`;

  return {
    url,
    environment: { TENON_REGISTRY_URL: url, TENON_REGISTRY_KEY: join(root, "registry.pub") },
    key,
    async put(id, version, { signer = "acme", icon, files = {}, ...manifest } = {}) {
      const text = await key(signer);
      await writeFile(join(folder, "keys", `${numberOf(text)}.pub`), text);
      const at = join(root, `${id}-${version}`, id);
      await cp(source, at, { recursive: true });
      const library = join(at, "lib", machine, `${id}.so`);
      await rename(join(at, "lib", machine, "blank.so"), library);
      const code = (await readFile(library)).toString("latin1");
      await writeFile(library, code.replaceAll("blank", id).replaceAll("1.0.0", version), "latin1");
      const own = (await readFile(join(at, "plugin.json"), "utf8")).replaceAll("blank", id);
      await writeFile(
        join(at, "plugin.json"),
        JSON.stringify({
          ...JSON.parse(own),
          version,
          ...manifest,
          ...(icon && { ui: uiOf(id, icon) }),
        }),
      );
      const tables = ["items", "slow"].map((name) => ({
        name,
        fields: [{ name: name === "items" ? "title" : "version", type: "text" }],
      }));
      await writeFile(join(at, "tables.json"), JSON.stringify({ tables }));
      for (const [name, content] of Object.entries(files)) {
        await mkdir(join(at, name, ".."), { recursive: true });
        await writeFile(join(at, name), content);
      }
      const file = join(folder, `${id}-${version}.tenon`);
      await tenon("plugin", "pack", at, "--output", file);
      await tenon("plugin", "sign", file, "--key", join(root, `${signer}.key`));
    },
    build: () => tenon("registry", "build", folder, "--key", join(root, "registry.key")),
    behave(how) {
      behaves = how;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(root, { recursive: true, force: true });
    },
  };
}

/** The UI of a package, so that it has an icon; the tests do not open it. */
const uiOf = (id, icon) => ({
  navigation: [{ id, title: id, path: `/app/${id}`, icon }],
});

/** Returns the number of a public key: it follows the two letters of the algorithm, last byte first. */
function numberOf(text) {
  const bytes = Buffer.from(text.split("\n")[1], "base64");
  return Buffer.from(bytes.subarray(2, 10)).reverse().toString("hex").toUpperCase();
}
