import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { axeViolations } from "./support/axe.mjs";
import { openWindow } from "./support/browser.mjs";
import { admin } from "./support/host.mjs";
import { startSite } from "./support/site.mjs";

const { host, browser } = await startSite();

const open = (options) => openWindow(browser, host.url, { signIn: admin, ...options });
const unfold = (page, group) => page.locator(`[data-tag="${group}"]`).click();
/** Expands the routes of notes, which follow those of the host. */
const routes = (page) => page.getByText("A note with its text, links and backlinks");
const waitForRoutes = async (page) => {
  await unfold(page, "notes");
  await routes(page).waitFor();
};

describe("API documentation page", () => {
  it("opens from the user menu", async () => {
    const { page, faults, close } = await open();
    await page.goto("/");
    await page.getByRole("button", { name: /^Ada Lovelace/ }).click();
    await page.getByRole("menuitem", { name: "API" }).click();
    await page.waitForURL("**/api/docs");
    await page.locator('[data-tag="notes"]').waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  it("lists routes within the content policy", async () => {
    const { page, faults, close } = await open();
    const hosts = new Set();
    page.on("request", (request) => {
      const { protocol, origin } = new URL(request.url());
      if (protocol.startsWith("http") || protocol.startsWith("ws")) hosts.add(origin);
    });
    await page.goto("/api/docs");
    await waitForRoutes(page);
    // The other violations are in the markup of Swagger UI.
    const violations = (await axeViolations(page)).map((text) => text.split(":")[0]);
    assert.deepEqual(violations, ["nested-interactive"]);
    await page.getByText("Full-text search with snippets").click();
    await page.getByText("Needs the permission").first().waitFor();
    await page.waitForLoadState("networkidle");
    assert.deepEqual([...hosts], [host.url]);
    assert.deepEqual(faults, []);
    assert.equal(await page.getByRole("button", { name: "Authorize" }).count(), 0);
    await close();
  });

  it("sends a test request", async () => {
    const { page, faults, close } = await open();
    await page.goto("/api/docs");
    await waitForRoutes(page);
    await unfold(page, "core/session");
    await page.getByText("Get the signed-in user and permissions").click();
    await page.getByRole("button", { name: "Try it out" }).click();
    await page.getByRole("button", { name: "Execute" }).click();
    await page.getByText('"login": "ada"').first().waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  it("follows the theme of user and system", async () => {
    const { page, close } = await open({ dark: true });
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await page.goto("/api/docs");
    assert.equal(await background(), "rgb(28, 32, 34)");
    await page.evaluate(() => localStorage.setItem("tenon.theme", "light"));
    await page.reload();
    assert.equal(await background(), "rgb(255, 255, 255)");
    await close();
  });

  it("requires a signed-in user", async () => {
    const { page, close } = await open({ signIn: undefined });
    const response = await page.goto("/api/docs");
    assert.equal(response?.status(), 401);
    await close();
  });
});
