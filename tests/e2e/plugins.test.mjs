import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { axeViolations } from "./support/axe.mjs";
import { openWindow } from "./support/browser.mjs";
import { admin, member } from "./support/host.mjs";
import { activePlugin, startSite } from "./support/site.mjs";

const { host, api, browser } = await startSite({ hello: { future: true } });
const plugin = await activePlugin(api);

const open = (options) => openWindow(browser, host.url, { signIn: admin, ...options });
const navigation = (page) => page.getByRole("navigation", { name: "Main" });
const isOwnFile = (url) => url.includes(`/ui/plugins/${plugin.id}/`);

describe("plugin module", () => {
  it("is fetched when its page is shown", async () => {
    const { page, faults, close } = await open();
    const fetched = [];
    page.on("request", (request) => isOwnFile(request.url()) && fetched.push(request.url()));
    await page.goto("/", { waitUntil: "networkidle" });
    assert.deepEqual(fetched, []);
    await navigation(page).getByRole("link", { name: plugin.name }).click();
    await page.locator(`[data-plugin="${plugin.id}"] h1`).waitFor();
    assert.ok(fetched.length > 0);
    assert.equal(new Set(fetched).size, fetched.length, "nothing is fetched twice");
    assert.deepEqual(faults, []);
    await close();
  });

  it("is fetched when its link is hovered", async () => {
    const { page, close } = await open();
    await page.goto("/", { waitUntil: "networkidle" });
    const fetched = page.waitForRequest((request) => isOwnFile(request.url()));
    await navigation(page).getByRole("link", { name: plugin.name }).hover();
    await fetched;
    assert.equal(new URL(page.url()).pathname, "/");
    await close();
  });

  it("has scoped styles", async () => {
    const { page, close } = await open();
    await page.goto(`/app/${plugin.id}`);
    await page.locator(`[data-plugin="${plugin.id}"] h1`).waitFor();
    const rules = await page.evaluate((id) => {
      const sheets = [...document.styleSheets].filter(({ href }) =>
        href?.includes(`/ui/plugins/${id}/`),
      );
      return sheets.flatMap(({ cssRules }) =>
        [...cssRules].map((rule) => rule.cssText.slice(0, 60)),
      );
    }, plugin.id);
    for (const rule of rules) assert.match(rule, /^@layer tenon\.plugins/);
    await close();
  });

  it("reports a failed load and retries", async () => {
    const { page, faults, close } = await open();
    let broken = true;
    await page.route(isOwnFile.bind(null) && ((url) => isOwnFile(url.href)), (route) =>
      broken ? route.abort() : route.continue(),
    );
    await page.goto(`/app/${plugin.id}`);
    await page.getByRole("heading", { name: `Could not load ${plugin.name}` }).waitFor();
    await navigation(page).getByRole("link", { name: "Home" }).waitFor();
    broken = false;
    await page.getByRole("button", { name: "Retry" }).click();
    await page.locator(`[data-plugin="${plugin.id}"] h1`).waitFor();
    assert.deepEqual(
      faults.filter((fault) => !fault.includes("could not be loaded")),
      [],
    );
    await close();
  });

  it("is rejected if its integrity differs", async () => {
    const { page, close } = await open();
    await page.route(
      (url) => isOwnFile(url.href) && url.pathname.endsWith(".js"),
      async (route) => {
        const response = await route.fetch();
        await route.fulfill({
          response,
          body: `document.title = "changed"; ${await response.text()}`,
        });
      },
    );
    await page.goto(`/app/${plugin.id}`);
    await page.getByRole("heading", { name: `Could not load ${plugin.name}` }).waitFor();
    assert.notEqual(await page.title(), "changed");
    await close();
  });
});

describe("plugins page for an admin", () => {
  it("disables and enables a plugin other windows use", async () => {
    const other = await open({ signIn: member });
    await other.page.goto(`/app/${plugin.id}`);
    await other.page.locator(`[data-plugin="${plugin.id}"] h1`).waitFor();
    await other.page.evaluate(() => (window.stays = true));
    const address = other.page.url();

    const { page, faults, close } = await open();
    await page.goto("/settings/plugins");
    const toggle = page.getByRole("switch", { name: `${plugin.name} enabled` });
    await toggle.click();

    await other.page.getByRole("heading", { name: `${plugin.name} is disabled` }).waitFor();
    assert.equal(await navigation(other.page).getByRole("link", { name: plugin.name }).count(), 0);
    assert.equal(
      await other.page.locator(`link[rel="stylesheet"][href*="/ui/plugins/${plugin.id}/"]`).count(),
      0,
    );
    assert.equal(other.page.url(), address);
    await page.getByText("Disabled", { exact: true }).first().waitFor();

    await page.getByRole("button", { name: "Undo" }).click();
    await other.page.locator(`[data-plugin="${plugin.id}"] h1`).waitFor();
    await navigation(other.page).getByRole("link", { name: plugin.name }).waitFor();
    assert.equal(other.page.url(), address);
    assert.equal(await other.page.evaluate(() => window.stays), true, "without a reload");
    assert.deepEqual([...faults, ...other.faults], []);
    await close();
    await other.close();
  });

  it("shows why a plugin failed and retries", async () => {
    const { page, faults, close } = await open();
    await page.goto("/settings/plugins");
    const row = page.getByRole("listitem").filter({ hasText: "Future" });
    await row.getByText("Failed", { exact: true }).waitFor();
    await row.getByText(/needs ABI 9\.0/).waitFor();
    await row.getByText(/plugin\.json/).waitFor();
    const explanation = row.getByRole("link", { name: "plugins.abi_too_new" });
    assert.equal(await explanation.getAttribute("href"), "/docs/errors.html#pluginsabi_too_new");
    assert.deepEqual(await axeViolations(page), []);
    await row.getByRole("button", { name: "Try again" }).click();
    await page.getByText(/^Could not enable Future\./).waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  it("shows the details of a plugin", async () => {
    const { page, faults, close } = await open();
    await page.goto("/settings/plugins");
    await page.getByRole("link", { name: plugin.name }).click();
    await page.getByRole("heading", { name: plugin.name, level: 1 }).waitFor();
    for (const { id } of plugin.permissions) await page.getByRole("cell", { name: id }).waitFor();
    for (const table of plugin.tables)
      await page.getByText(table, { exact: true }).first().waitFor();
    assert.deepEqual(faults, []);
    await close();
  });
});

describe("plugins for a member", () => {
  it("offer no administration", async () => {
    const { page, close } = await open({ signIn: member });
    for (const path of ["/settings/plugins", "/settings/users", `/settings/plugins/${plugin.id}`]) {
      await page.goto(path);
      await page.getByText("This page is for admins").waitFor();
    }
    assert.equal(await page.getByRole("link", { name: "Plugins" }).count(), 0);
    await close();
  });

  it("return when an admin enables them", async () => {
    await api.send("POST", `/api/core/plugins/${plugin.id}/disable`);
    const { page, faults, close } = await open({ signIn: member });
    await page.goto(`/app/${plugin.id}`);
    await page.getByRole("heading", { name: "There is nothing at this address" }).waitFor();
    await api.send("POST", `/api/core/plugins/${plugin.id}/enable`);
    await page.locator(`[data-plugin="${plugin.id}"] h1`).waitFor();
    assert.deepEqual(faults, []);
    await close();
  });
});
