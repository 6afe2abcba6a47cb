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

describe("the first load", () => {
  const budget = { script: 105_000, styles: 6_000, requests: 12 };

  it("keeps its budget of bytes and requests, and fetches nothing of a plugin", async () => {
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

  it("names a strict policy", async () => {
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

  it("runs no script without integrity, and none that is inline", async () => {
    const { page, close } = await open();
    await page.goto("/");
    const ran = await page.evaluate(async (id) => {
      const inline = document.createElement("script");
      inline.textContent = "window.ran = true";
      document.head.append(inline);
      const module = await fetch("/api/core/shell").then((answer) => answer.json());
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

describe("the keyboard", () => {
  it("opens the palette, finds a page and goes there", async () => {
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

  it("closes the palette by Escape and gives the focus back", async () => {
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

  it("goes to a plugin and home again by letters, but not while typing", async () => {
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

  it("lists its shortcuts", async () => {
    const { page, close } = await open();
    await goHome(page);
    await page.keyboard.press("?");
    const sheet = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await sheet.getByText("Search and commands").waitFor();
    await page.keyboard.press("Escape");
    await sheet.waitFor({ state: "detached" });
    await close();
  });

  it("walks a menu, and Escape returns to its button", async () => {
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

  it("is in the page after going to another, whose title is told", async () => {
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

  it("skips the side bar", async () => {
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
  it("that lead nowhere say so", async () => {
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

  it("of a hidden world: going back finds the page before", async () => {
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

describe("without a network", () => {
  it("says so, and is back by itself", async () => {
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

describe("a phone", () => {
  it("has the navigation in a drawer that closes behind one", async () => {
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

  it("scrolls sideways nowhere", async () => {
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
    it(`has no violations: ${name}`, async () => {
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
    it(`has none in what lies over the page, ${dark ? "dark" : "light"}`, async () => {
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

    it(`has none on the way in, ${dark ? "dark" : "light"}`, async () => {
      const { page, close } = await open({ dark, signIn: undefined });
      await page.goto("/", { waitUntil: "networkidle" });
      assert.deepEqual(await axeViolations(page), []);
      await page.keyboard.press("Enter");
      await close();
    });
  }
});
