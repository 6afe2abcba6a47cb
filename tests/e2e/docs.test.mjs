import assert from "node:assert/strict";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { axeViolations } from "./support/axe.mjs";
import { launch, looks, openWindow } from "./support/browser.mjs";
import { startHost } from "./support/host.mjs";

const browser = await launch();
const host = await startHost();
after(async () => {
  await browser.close();
  await host.stop();
});

/** Opens a page of the site without a session. */
async function openDocs(path, look = {}) {
  const window = await openWindow(browser, host.url, look);
  await window.page.goto(path);
  return window;
}

describe("documentation site", () => {
  for (const { name, ...look } of looks) {
    it(`shows pages without an account (${name})`, async () => {
      const { page, faults, close } = await openDocs("/docs/", look);
      await page.getByRole("heading", { name: "Documentation", level: 1 }).waitFor();
      if (process.env.SHOTS) await page.screenshot({ path: join(process.env.SHOTS, `docs-${name}.png`) });
      await page.getByRole("main").getByRole("link", { name: "Write a plugin", exact: true }).first().click();
      await page.getByRole("heading", { name: "Write a plugin", level: 1 }).waitFor();
      if (process.env.SHOTS) await page.screenshot({ path: join(process.env.SHOTS, `docs-page-${name}.png`) });
      // Two findings of VitePress's theme.
      const known = /^(label-content-name-mismatch|nested-interactive)/;
      assert.deepEqual((await axeViolations(page)).filter((text) => !known.test(text)), []);
      assert.doesNotMatch(await page.locator("body").innerText(), /\{\{/);
      assert.deepEqual(faults, []);
      await close();
    });
  }

  it("finds pages by words, without another server", async () => {
    const { page, context, faults, close } = await openWindow(browser, host.url);
    const foreign = [];
    await context.route(
      (url) => url.origin !== host.url,
      (route) => {
        foreign.push(route.request().url());
        return route.abort();
      },
    );
    await page.goto("/docs/");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("searchbox").fill("days_ago");
    await page.getByRole("option").first().waitFor();
    await page.getByRole("option", { name: /Schedules without code|Expressions|Parameters/ }).first().click();
    await page.waitForURL(/\/docs\/(jobs|expressions)/);
    assert.deepEqual(foreign, []);
    assert.deepEqual(faults, []);
    await close();
  });

  it("explains an error at its anchor", async () => {
    const { page, close } = await openDocs("/docs/errors.html#pluginsabi_too_new");
    const heading = page.getByRole("heading", { name: "plugins.abi_too_new" });
    await heading.waitFor();
    await page.waitForFunction(() => document.querySelector("#pluginsabi_too_new")?.getBoundingClientRect().top < innerHeight);
    await close();
  });

  it("has the headers and schemas as a reference", async () => {
    const { page, faults, close } = await openDocs("/docs/reference/c/http.html");
    await page.getByRole("heading", { name: "tenon_http_request" }).waitFor();
    await page.goto("/docs/reference/schema/plugin.schema.html");
    await page.getByRole("heading", { name: "schedules[]", exact: false }).first().waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  it("has the host's routes as a reference", async () => {
    const { page, faults, close } = await openDocs("/docs/reference/http/users.html");
    await page.getByRole("heading", { name: "PATCH /api/core/users/{id}" }).waitFor();
    await page.getByRole("row", { name: /^password string 8 to 1,024 bytes/ }).waitFor();
    if (process.env.SHOTS) await page.screenshot({ path: join(process.env.SHOTS, "docs-http.png") });
    await page.getByRole("main").getByRole("link", { name: "core.user" }).first().click();
    await page.waitForURL(/\/docs\/reference\/http\/users(\.html)?#coreuser$/);
    assert.deepEqual(faults, []);
    await close();
  });

  it("shows its own page for an unknown address", async () => {
    const { page, close } = await openDocs("/docs/nothing.html");
    await page.getByText("404").first().waitFor();
    const response = await page.goto("/docs/nothing.html");
    assert.equal(response.status(), 404);
    await close();
  });

  it("runs no script that is not its own", async () => {
    const { page, close } = await openDocs("/docs/");
    const response = await page.goto("/docs/");
    assert.match(response.headers()["content-security-policy"], /script-src 'self';/);
    assert.equal(await page.locator("script:not([src])").count(), 0);
    await close();
  });
});
