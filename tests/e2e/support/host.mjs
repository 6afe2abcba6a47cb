import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { waitTimeout } from "./wait.mjs";

/** The server under test. */
export const binary =
  process.env.TENON_BIN ?? join(process.env.DEV_BUILD ?? "build/dev", "bin/tenon");
/** Without TENON_…, which the server takes as its configuration. It refuses names that it does not know. */
export const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith("TENON_")),
);

const maxLogLength = 8_000;
/** @type {Set<() => string>} */
const servers = new Set();

/** State and log of each server that was not stopped, for the report of a failure. */
export const describeServers = () => [...servers].map((describe) => describe());

/**
 * Returns a loopback address for a server that is stopped and started again, so that no other process takes its port in the meantime.
 */
export function ownAddress() {
  const [a, b, c] = randomBytes(3).map((byte) => 1 + (byte % 254));
  return `127.${a}.${b}.${c}:0`;
}

/**
 * @typedef {object} Host
 * @property {string} url
 * @property {string | null} setup the one-time set-up link
 * @property {string} data
 * @property {() => Promise<void>} halt stops the server and keeps its data
 * @property {() => Promise<void>} stop stops the server and removes its data
 */

/**
 * Starts the real server on a free port with data of its own.
 * @param {{ plugins?: string, environment?: Record<string, string>, data?: string, listen?: string }} [options] a directory with other
 *   plugins than those that people get; variables for the server; the data of a server that was stopped, and where it listened
 * @returns {Promise<Host>}
 */
export async function startHost({
  plugins,
  environment = {},
  data: kept,
  listen = "127.0.0.1:0",
} = {}) {
  const data = kept ?? (await mkdtemp(join(tmpdir(), "tenon-e2e-")));
  const more = plugins ? ["--plugins", plugins] : [];
  const server = spawn(
    binary,
    ["serve", "--no-supervisor", "--data", data, "--listen", listen, ...more],
    {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...env, ...environment },
    },
  );
  // A test that is killed leaves no server.
  const kill = () => server.kill("SIGKILL");
  process.once("exit", kill);
  let log = "";
  server.stderr.on("data", (text) => (log = (log + text).slice(-maxLogLength)));
  let state = "runs";
  const describe = () => `server of ${data} ${state}, its log:\n${log}`;
  const ended = new Promise((resolve) =>
    server.once("close", (code, signal) => {
      state = code === null ? `ended by ${signal}` : `ended with exit code ${code}`;
      resolve(code);
    }),
  );
  servers.add(describe);

  const links = {};
  const lines = createInterface({ input: server.stdout });
  await new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`no line "ready": ${describe()}`)), waitTimeout);
    server.once("error", reject);
    void ended.then(() => reject(new Error(describe())));
    lines.on("line", (line) => {
      const [, what, link] = /^(ready|setup) (http\S+)$/.exec(line) ?? [];
      if (!what) return;
      links[what] = link;
      // A server that is set up says no more.
      if (links.setup || (links.ready && kept)) {
        clearTimeout(late);
        resolve();
      }
    });
  });
  return {
    url: links.ready,
    setup: links.setup,
    data,
    async halt() {
      server.kill("SIGTERM");
      const code = await ended;
      process.off("exit", kill);
      servers.delete(describe);
      if (code !== 0) throw new Error(describe());
    },
    async stop() {
      await this.halt();
      await rm(data, { recursive: true, force: true });
    },
  };
}

export const admin = { login: "ada", name: "Ada Lovelace", password: "correct horse battery" };
export const member = { login: "grace", name: "Grace Hopper", password: "staple correct horse" };

/** A client of the API with a session of its own. */
export class Api {
  #url;
  #cookie = "";

  constructor(url) {
    this.#url = url;
  }

  async send(method, path, body) {
    const response = await fetch(this.#url + path, {
      method,
      headers: {
        Accept: "application/json",
        Cookie: this.#cookie,
        ...(body !== undefined && { "Content-Type": "application/json" }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const cookie = response.headers.get("set-cookie");
    if (cookie) this.#cookie = cookie.split(";", 1)[0] ?? "";
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text ? JSON.parse(text) : undefined;
  }

  signIn({ login, password }) {
    return this.send("POST", "/api/core/session", { login, password });
  }
}

/**
 * A server with an admin and a member, and the admin's API client.
 * @param {Parameters<typeof startHost>[0]} [options]
 */
export async function startPopulatedHost(options = {}) {
  const host = await startHost(options);
  const api = new Api(host.url);
  const token = new URL(host.setup).searchParams.get("token");
  await api.send("POST", "/api/core/setup", { token, ...admin });
  await api.send("POST", "/api/core/users", { ...member, role: "member" });
  return { host, api };
}
