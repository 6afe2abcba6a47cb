import assert from "node:assert/strict";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { buildPlugin } from "@tenon/rollup-preset";
import { axeViolations } from "./support/axe.mjs";
import { openWindow } from "./support/browser.mjs";
import { admin, Api, binary, ownAddress, startHost } from "./support/host.mjs";
import { startSite, temporaryFolder } from "./support/site.mjs";

const id = "migrates-in-batches";
// A minute of migration at the slow pace: long enough to be seen, and cut short by starting the server again without a pace.
const rows = 600;
const slow = 1_000;
const tables = {
  tables: [
    {
      name: "items",
      publish: true,
      rules: { read: "true", create: "true" },
      fields: [
        { name: "title", type: "text" },
        { name: "visits", type: "integer", required: true, default: 0 },
      ],
    },
  ],
};

const plugins = await temporaryFolder();
await cp(join(dirname(binary), "../tests/plugins/zoo/migrates_in_batches"), plugins, {
  recursive: true,
});
await writeFile(join(plugins, id, "tables.json"), JSON.stringify(tables));
await addPages();
const site = await startSite({ plugins, listen: ownAddress() });

/** Gives the plugin a page: it is among those that a tab has. */
async function addPages() {
  const manifest = join(plugins, id, "plugin.json");
  const navigation = [{ id, title: "Items", path: `/app/${id}`, icon: "list" }];
  const known = JSON.parse(await readFile(manifest, "utf8"));
  await writeFile(manifest, JSON.stringify({ ...known, name: "Items", ui: { navigation } }));
  const root = await temporaryFolder();
  await mkdir(join(root, "src"));
  await writeFile(join(root, "package.json"), "{}");
  await writeFile(
    join(root, "src/index.tsx"),
    `import { definePlugin } from "@tenon/host";
     const Items = () => <h1>All items</h1>;
     export default definePlugin({ id: "${id}", routes: [{ index: true, page: Items }] });`,
  );
  await buildPlugin({ id, root, out: join(plugins, id, "ui") });
}

let running = site.host;

/** Starts the server again as one with so many migrations, at the same address. */
async function startAgain(migrations, pace) {
  await running.halt();
  const environment = { ZOO_MIGRATION: String(migrations), ZOO_PACE: String(pace) };
  const listen = new URL(site.host.url).host;
  running = await startHost({ plugins, data: site.host.data, environment, listen });
  return running;
}

describe("data migration by a function", () => {
  it("shows progress and restores the page", async () => {
    for (let at = 0; at < rows; at += 100) {
      const create = Array.from({ length: 100 }, (_, index) => ({ title: `item ${at + index}` }));
      await site.api.send("POST", `/api/${id}/items/batch`, { create });
    }
    // One tab stays open during the restart, another is opened after it.
    const left = await openWindow(site.browser, site.host.url, { signIn: admin });
    await left.page.goto(`/app/${id}`);
    await left.page.getByRole("heading", { name: "All items" }).waitFor();
    let host = await startAgain(1, slow);
    const { page, faults, close } = await openWindow(site.browser, host.url, { signIn: admin });
    await page.goto(`/app/${id}`);
    await page.getByRole("heading", { name: "This plugin is being upgraded" }).waitFor();
    await left.page.getByRole("heading", { name: "Items is being upgraded" }).waitFor();
    await page.goto("/settings/plugins");
    const row = page.getByRole("listitem").filter({ has: page.locator(`a[href$="/${id}"]`) });
    await row.getByText("Migrating", { exact: true }).waitFor();
    await row.getByText(/visit · \d+ of 600 rows · \d+ %/).waitFor();
    const bar = row.getByRole("progressbar", { name: "Migration visit" });
    const before = Number(await bar.getAttribute("value"));
    assert.ok(before > 0 && before < 1, String(before));
    assert.deepEqual(await axeViolations(page), []);
    await page.waitForFunction((value) => {
      const now = document.querySelector("progress")?.getAttribute("value");
      return now === undefined || Number(now) > value;
    }, before);
    host = await startAgain(1, 0);
    await row.getByText("Active", { exact: true }).waitFor();
    assert.equal(await bar.count(), 0);
    const api = new Api(host.url);
    await api.signIn(admin);
    const filter = encodeURIComponent("visits = 1");
    const { total } = await api.send("GET", `/api/${id}/items?count=true&filter=${filter}`);
    assert.equal(total, rows);
    await left.page.getByRole("heading", { name: "All items" }).waitFor();
    assert.deepEqual([faults, left.faults], [[], []]);
    await close();
    await left.close();
    await host.halt();
  });

  it("reports a failed migration on waiting pages", async () => {
    let host = await startAgain(1, 0);
    const api = new Api(host.url);
    await api.signIn(admin);
    await api.send("POST", `/api/${id}/items`, { title: "poison" });
    const left = await openWindow(site.browser, host.url, { signIn: admin });
    await left.page.goto(`/app/${id}`);
    await left.page.getByRole("heading", { name: "All items" }).waitFor();
    host = await startAgain(2, 400);
    const { page, faults, close } = await openWindow(site.browser, host.url, { signIn: admin });
    await page.goto(`/app/${id}`);
    await page.getByRole("heading", { name: "This plugin is being upgraded" }).waitFor();
    await left.page.getByRole("heading", { name: "Items is being upgraded" }).waitFor();
    await left.page.getByRole("heading", { name: "Items failed to start" }).waitFor();
    await page.getByRole("heading", { name: "There is nothing at this address" }).waitFor();
    assert.deepEqual([faults, left.faults], [[], []]);
    await close();
    await left.close();
    await host.halt();
  });
});
