import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { axeViolations } from "./support/axe.mjs";
import { looks, openWindow } from "./support/browser.mjs";
import { admin } from "./support/host.mjs";
import { activePlugin, startSite } from "./support/site.mjs";

const { host, api, browser } = await startSite({ hello: {} });
const plugin = await activePlugin(api);

const open = (options) => openWindow(browser, host.url, { signIn: admin, ...options });
const goHome = async (page) => {
  await page.goto("/");
  await page.getByRole("heading", { name: "Home" }).waitFor();
};
const focusedText = (page) => page.evaluate(() => document.activeElement?.textContent ?? "");

describe("shell first load", () => {
  const budget = { script: 105_000, styles: 6_000, requests: 12 };

  it("stays within its budget without plugin code", async () => {
    const { page, context, faults, close } = await open();
    const client = await context.newCDPSession(page);
    await client.send("Network.enable");
    const urls = new Map();
    const bytes = new Map();
    client.on("Network.responseReceived", ({ requestId, response }) =>
      urls.set(requestId, response.url),
    );
    client.on("Network.dataReceived", ({ requestId, encodedDataLength }) =>
      bytes.set(requestId, (bytes.get(requestId) ?? 0) + encodedDataLength),
    );
    await page.goto("/", { waitUntil: "networkidle" });
    await page.getByRole("heading", { name: "Home" }).waitFor();
    const sum = (ending) =>
      [...urls]
        .filter(([, url]) => url.endsWith(ending))
        .reduce((total, [id]) => total + (bytes.get(id) ?? 0), 0);
    const all = [...urls.values()].filter((url) => url.startsWith("http"));
    const figures = { requests: all.length, script: sum(".js"), styles: sum(".css") };
    console.log("first load:", figures);
    assert.ok(figures.requests <= budget.requests, all.join("\n"));
    assert.ok(figures.script > 50_000 && figures.script <= budget.script, String(figures.script));
    assert.ok(figures.styles > 1_000 && figures.styles <= budget.styles, String(figures.styles));
    assert.deepEqual(
      all.filter((url) => url.includes("/ui/plugins/")),
      [],
    );
    assert.deepEqual(faults, []);
    await close();
  });

  it("sends a strict content policy", async () => {
    const { page, close } = await open();
    const response = await page.goto("/");
    const headers = response?.headers() ?? {};
    const policy = headers["content-security-policy"] ?? "";
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /script-src [^;]*'sha256-/);
    assert.doesNotMatch(policy, /unsafe|\*/);
    assert.match(headers["integrity-policy"] ?? "", /blocked-destinations=\(script\)/);
    assert.equal(headers["x-content-type-options"], "nosniff");
    await close();
  });

  it("runs no inline script or script without integrity", async () => {
    const { page, close } = await open();
    await page.goto("/");
    const ran = await page.evaluate(async (id) => {
      const inline = document.createElement("script");
      inline.textContent = "window.ran = true";
      document.head.append(inline);
      const module = await fetch("/api/core/shell").then((response) => response.json());
      const { module: href } = module.plugins.find((plugin) => plugin.id === id);
      return import(href).then(
        () => "imported",
        () => String(window.ran),
      );
    }, plugin.id);
    assert.equal(ran, "undefined");
    await close();
  });
});

describe("keyboard", () => {
  it("opens a page from the palette", async () => {
    const { page, faults, close } = await open();
    await goHome(page);
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search and commands" }).fill("acc");
    await page.getByRole("option", { name: "Account", selected: true }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Account", level: 1 }).waitFor();
    assert.equal(await page.getByRole("combobox").count(), 0);
    assert.deepEqual(faults, []);
    await close();
  });

  it("closes the palette with Escape, restoring focus", async () => {
    const { page, close } = await open();
    await goHome(page);
    const link = page.getByRole("link", { name: "Home" });
    await link.focus();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("combobox").waitFor({ state: "detached" });
    assert.match(await focusedText(page), /Home/);
    await close();
  });

  it("navigates by key sequences, except while typing", async () => {
    const { page, close } = await open();
    await page.goto("/");
    await page.getByRole("heading", { name: "Home" }).waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("1");
    await page.locator(`[data-plugin="${plugin.id}"] h1`).waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("h");
    await page.getByRole("heading", { name: "Home" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").pressSequentially("ga");
    assert.equal(await page.getByRole("combobox").inputValue(), "ga");
    assert.equal(new URL(page.url()).pathname, "/");
    await close();
  });

  it("lists all shortcuts", async () => {
    const { page, close } = await open();
    await goHome(page);
    await page.keyboard.press("?");
    const sheet = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await sheet.getByText("Search and commands").waitFor();
    await page.keyboard.press("Escape");
    await sheet.waitFor({ state: "detached" });
    await close();
  });

  it("moves through a menu and returns with Escape", async () => {
    const { page, close } = await open();
    await goHome(page);
    const button = page.getByRole("button", { name: admin.name });
    await button.focus();
    await page.keyboard.press("Enter");
    assert.match(await focusedText(page), /Account/);
    await page.keyboard.press("ArrowUp");
    assert.match(await focusedText(page), /Sign out/);
    await page.keyboard.press("d");
    assert.match(await focusedText(page), /Dark/);
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    assert.match(await focusedText(page), new RegExp(admin.name));
    await page.reload();
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
    await close();
  });

  it("moves focus to a page and announces it", async () => {
    const { page, close } = await open();
    await goHome(page);
    await page.getByRole("link", { name: plugin.name }).first().focus();
    await page.keyboard.press("Enter");
    await page.locator(`[data-plugin="${plugin.id}"] h1`).waitFor();
    await page.waitForFunction(() =>
      document.querySelector("main")?.contains(document.activeElement),
    );
    assert.match(await page.title(), /\S · \S/);
    await close();
  });

  it("skips the sidebar", async () => {
    const { page, close } = await open();
    await page.goto("/");
    await page.getByRole("heading", { name: "Home" }).waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement?.id), "main");
    await close();
  });
});

describe("addresses", () => {
  it("show \"not found\" for unknown pages", async () => {
    const { page, faults, close } = await open();
    await page.goto("/no/such/page");
    await page.getByText("There is no page at this address").waitFor();
    await page.goto("/app/nothing-here");
    await page.getByText("There is nothing at this address").waitFor();
    await page.goto("/settings/plugins/nothing-here");
    await page.getByText("not found").waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  it("restore the previous page on going back", async () => {
    const { page, close } = await open();
    await page.goto("/");
    await page.getByRole("link", { name: plugin.name }).first().click();
    await page.locator(`[data-plugin="${plugin.id}"] h1`).waitFor();
    await page.goBack();
    await page.getByRole("heading", { name: "Home" }).waitFor();
    await page.goForward();
    await page.locator(`[data-plugin="${plugin.id}"] h1`).waitFor();
    await close();
  });
});

describe("lost network", () => {
  it("is shown and recovers", async () => {
    const { page, context, close } = await open();
    await page.goto("/");
    await page.getByRole("heading", { name: "Home" }).waitFor();
    await context.setOffline(true);
    await page.getByText("You are offline.").waitFor();
    await context.setOffline(false);
    await page.getByText("You are offline.").waitFor({ state: "detached" });
    await close();
  });
});

describe("phone layout", () => {
  it("has a drawer that closes after navigation", async () => {
    const { page, faults, close } = await open({ phone: true });
    await page.goto("/");
    await page.getByRole("button", { name: "Navigation" }).tap();
    const drawer = page.getByRole("dialog", { name: "Navigation" });
    await drawer.getByRole("link", { name: plugin.name }).tap();
    await page.locator(`[data-plugin="${plugin.id}"] h1`).waitFor();
    await drawer.waitFor({ state: "hidden" });
    assert.deepEqual(faults, []);
    await close();
  });

  it("never scrolls sideways", async () => {
    const { page, close } = await open({ phone: true });
    for (const path of [
      "/",
      "/settings/account",
      "/settings/plugins",
      `/settings/plugins/${plugin.id}`,
      "/settings/users",
      "/settings/groups",
      "/settings/jobs",
      "/settings/plugins?tab=browse",
      "/settings/plugins?tab=keys",
      "/settings/plugins?tab=exports",
    ]) {
      await page.goto(path, { waitUntil: "networkidle" });
      const wide = await page.evaluate(() => {
        const main = document.querySelector("main");
        return Math.max(
          main.scrollWidth - main.clientWidth,
          document.documentElement.scrollWidth - innerWidth,
        );
      });
      assert.ok(wide <= 0, `${path} is ${wide} px too wide`);
    }
    await close();
  });
});

describe("accessibility", () => {
  const pages = ["/", "/settings/account", "/settings/plugins", "/settings/users", "/no/such/page"];
  for (const { name, ...look } of looks) {
    it(`passes on every page: ${name}`, async () => {
      const { page, faults, close } = await open(look);
      for (const path of [...pages, `/settings/plugins/${plugin.id}`]) {
        await page.goto(path, { waitUntil: "networkidle" });
        assert.deepEqual(await axeViolations(page), [], path);
      }
      assert.deepEqual(faults, []);
      await close();
    });
  }

  for (const dark of [false, true]) {
    it(`passes in every overlay, ${dark ? "dark" : "light"}`, async () => {
      const { page, faults, close } = await open({ dark });
      await page.goto("/", { waitUntil: "networkidle" });
      await page.keyboard.press("Control+k");
      await page.getByRole("option").first().waitFor();
      assert.deepEqual(await axeViolations(page), [], "palette");
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "hidden" });
      await page.keyboard.press("?");
      await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
      assert.deepEqual(await axeViolations(page), [], "shortcuts");
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "hidden" });
      await page.getByRole("button", { name: admin.name }).click();
      await page.getByRole("menuitem", { name: "Sign out" }).waitFor();
      assert.deepEqual(await axeViolations(page), [], "menu");
      await page.goto("/settings/users");
      await page.getByRole("button", { name: "Add user" }).click();
      await page.getByRole("dialog").waitFor();
      assert.deepEqual(await axeViolations(page), [], "dialog");
      assert.deepEqual(faults, []);
      await close();
    });

    it(`passes before sign-in, ${dark ? "dark" : "light"}`, async () => {
      const { page, close } = await open({ dark, signIn: undefined });
      await page.goto("/", { waitUntil: "networkidle" });
      assert.deepEqual(await axeViolations(page), []);
      await page.keyboard.press("Enter");
      await close();
    });
  }
});
