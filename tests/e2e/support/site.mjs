import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach } from "node:test";
import { closeWindows, describeWindows, launch } from "./browser.mjs";
import { makeHelloPlugin } from "./hello-plugin.mjs";
import { describeServers, startHost, startPopulatedHost } from "./host.mjs";
import { makeRegistry } from "./registry.mjs";

afterEach(async (test) => {
  const { passed, error } = /** @type {any} */ (test);
  if (!passed) {
    const report = ["", ...describeWindows(), ...describeServers()].join("\n");
    // The reporters print a cause's stack, and no diagnostic in a failure.
    if (error?.cause instanceof Error) error.cause.stack += report;
    else test.diagnostic(report);
  }
  await closeWindows();
});

/** @type {(() => Promise<unknown>)[]} */
const ends = [];
after(async () => {
  const failures = [];
  for (const end of ends.reverse()) await end().catch((error) => failures.push(error));
  if (failures.length > 0) throw failures[0];
});

/** Returns a started resource that the tests of a file share; `end` stops it after the last test. */
function shared(begun, end) {
  ends.push(() => end(begun));
  return begun;
}

/** Starts a browser that the tests of a file share. */
export const startBrowser = async () => shared(await launch(), (browser) => browser.close());

/** Makes a folder that is removed after the tests of the file. */
export const temporaryFolder = async () =>
  shared(await mkdtemp(join(tmpdir(), "tenon-e2e-")), (path) =>
    rm(path, { recursive: true, force: true }),
  );

/** Starts a registry of packages on a web server of its own. */
export const startRegistry = async () => shared(await makeRegistry(), (made) => made.stop());

/** Starts a server that is not set up. */
export const freshHost = async () => shared(await startHost(), (host) => host.stop());

/**
 * Starts what the tests of a file share: a server with an admin and a member, the client of the admin, a browser. Each test creates its own
 * content, so that each can run alone.
 * @param {{ plugins?: string, hello?: Parameters<typeof makeHelloPlugin>[0], environment?: Record<string, string>, listen?: string }} [options] `plugins`:
 *   a directory that replaces the standard plugins; `hello`: options of the plugin `hello`; `environment`: variables of the server; `listen`: its
 *   address
 */
export async function startSite({ plugins, hello, environment, listen } = {}) {
  const made = hello && shared(await makeHelloPlugin(hello), ({ remove }) => remove());
  const { host, api } = await startPopulatedHost({
    plugins: made?.directory ?? plugins,
    environment,
    listen,
  });
  shared(host, (host) => host.stop());
  return { host, api, browser: await startBrowser() };
}

/**
 * The active plugin with pages that the tests look at.
 * @param {import("./host.mjs").Api} api
 */
export async function activePlugin(api) {
  const { items } = await api.send("GET", "/api/core/plugins");
  return items.find(({ ui, state }) => ui && state === "active");
}

/**
 * The id of a person.
 * @param {import("./host.mjs").Api} api
 * @param {string} name how it begins
 */
export async function personId(api, name) {
  const { items } = await api.send("GET", `/api/core/people?q=${encodeURIComponent(name)}`);
  return items[0].id;
}
