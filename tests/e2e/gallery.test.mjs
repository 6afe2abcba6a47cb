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

const shots = process.env.SHOTS;

describe("component gallery", () => {
  for (const { name, ...look } of looks) {
    it(`shows all examples (${name})`, async () => {
      const { page, faults, close } = await openWindow(browser, host.url, look);
      await page.goto(`/docs/gallery/frame.html?theme=${look.dark ? "dark" : "light"}`);
      await page.waitForFunction(() =>
        [...document.querySelectorAll("[data-example]")].every((one) => one.childElementCount > 0),
      );
      assert.ok((await page.locator("[data-example]").count()) > 20);
      // The example of error states has one.
      assert.equal(await page.getByRole("alert").count(), 1);
      if (shots) await page.screenshot({ path: join(shots, `gallery-all-${name}.png`), fullPage: true });
      // Examples are parts of pages.
      const known = /^(page-has-heading-one|region|landmark|heading-order)/;
      assert.deepEqual((await axeViolations(page)).filter((text) => !known.test(text)), []);
      assert.deepEqual(faults, []);
      await close();
    });

    it(`has a page for each component (${name})`, async () => {
      const { page, faults, close } = await openWindow(browser, host.url, look);
      await page.goto("/docs/gallery/");
      await page.getByRole("main").getByRole("link", { name: "Line chart" }).click();
      await page.getByRole("heading", { name: "Line chart", level: 1 }).waitFor();
      const example = page.frameLocator("iframe");
      await example.getByRole("img", { name: /^Cards per day/ }).waitFor();
      const theme = look.dark ? "dark" : "light";
      assert.equal(await example.locator("html").getAttribute("data-theme"), theme);
      await page.getByRole("cell", { name: "formatValue" }).waitFor();
      await page.waitForFunction(() => (document.querySelector("iframe")?.clientHeight ?? 0) > 400);
      if (shots) await page.screenshot({ path: join(shots, `gallery-page-${name}.png`), fullPage: true });
      const other = look.dark ? "Light" : "Dark";
      await page.getByRole("radio", { name: other }).check();
      await example.locator(`html[data-theme="${other.toLowerCase()}"]`).waitFor();
      // Two findings of VitePress's theme.
      const known = /^(label-content-name-mismatch|nested-interactive)/;
      assert.deepEqual((await axeViolations(page)).filter((text) => !known.test(text)), []);
      assert.deepEqual(faults, []);
      await close();
    });
  }

  it("may be framed by its own site alone", async () => {
    const { page, close } = await openWindow(browser, host.url);
    const response = await page.goto("/docs/gallery/frame.html");
    assert.match(response?.headers()["content-security-policy"] ?? "", /frame-ancestors 'self'/);
    await close();
  });
});
