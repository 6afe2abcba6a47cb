import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { axeViolations } from "./support/axe.mjs";
import { looks, openWindow } from "./support/browser.mjs";
import { admin } from "./support/host.mjs";
import { startSite, temporaryFolder } from "./support/site.mjs";

const path = "/settings/plugins/mail";
const settings = {
  type: "object",
  required: ["host"],
  properties: {
    host: { type: "string", title: "Mail server", pattern: "^[a-z.]+$" },
    port: { type: "integer", title: "Port", minimum: 1, maximum: 65535, default: 587 },
    security: { enum: ["tls", "none"], title: "Security", default: "tls" },
    verify: { type: "boolean", title: "Verify the certificate", default: true },
    password: { type: "string", title: "Password", writeOnly: true },
  },
};
const plugins = await temporaryFolder();
await mkdir(join(plugins, "mail"));
await writeFile(
  join(plugins, "mail/plugin.json"),
  JSON.stringify({ id: "mail", name: "Mail", version: "1.0.0", settings }),
);
const { host, api, browser } = await startSite({ plugins });
const stored = () => api.send("GET", "/api/core/plugins/mail/settings");

async function open(look = {}) {
  const window = await openWindow(browser, host.url, { signIn: admin, ...look });
  await window.page.goto(path);
  const field = (name) => window.page.getByLabel(name, { exact: false });
  await field("Mail server").waitFor();
  const save = () => window.page.getByRole("button", { name: "Save" }).click();
  return { ...window, field, save };
}

describe("settings of a plugin", () => {
  it("shows faults at their fields and saves nothing", async () => {
    const { page, field, save, close } = await open();
    await field("Mail server").fill("Mail!");
    await field("Port").fill("70000");
    await save();
    await page.locator('[aria-invalid="true"]').nth(1).waitFor();
    assert.equal(await field("Mail server").getAttribute("aria-invalid"), "true");
    assert.deepEqual((await stored()).values, {});
    await field("Mail server").fill("mail.example");
    await field("Port").fill("25");
    await save();
    await page.getByText("Settings saved").waitFor();
    assert.deepEqual((await stored()).values, { host: "mail.example", port: 25 });
    await close();
  });

  it("undoes a change", async () => {
    const { page, field, save, close } = await open();
    const before = (await stored()).values;
    await field("Security").selectOption("none");
    await field("Verify the certificate").uncheck();
    await save();
    const undo = page.getByRole("button", { name: "Undo" });
    await undo.waitFor();
    assert.deepEqual((await stored()).values, { ...before, security: "none", verify: false });
    await undo.click();
    await page.waitForFunction(() => document.querySelector("select")?.value === "");
    assert.deepEqual((await stored()).values, before);
    await close();
  });

  it("keeps a secret and never shows it", async () => {
    const { page, field, save, close } = await open();
    await field("Password").fill("hunter2");
    await save();
    await page.getByPlaceholder("Saved. Type to replace it.").waitFor();
    assert.equal(await field("Password").inputValue(), "");
    await page.reload();
    await page.getByPlaceholder("Saved. Type to replace it.").waitFor();
    assert.equal((await page.content()).includes("hunter2"), false);
    const { values, secrets } = await stored();
    assert.deepEqual([Object.keys(values).includes("password"), secrets], [false, ["password"]]);
    await page.getByRole("button", { name: "Remove", exact: true }).first().click();
    await save();
    await page.getByText("Settings saved").waitFor();
    assert.deepEqual((await stored()).secrets, []);
    await close();
  });

  for (const { name, ...look } of looks) {
    it(`is accessible (${name})`, async () => {
      const { page, field, save, faults, close } = await open(look);
      assert.deepEqual(await axeViolations(page), []);
      await field("Port").fill("0");
      await save();
      await page.locator('[aria-invalid="true"]').first().waitFor();
      assert.deepEqual(await axeViolations(page), []);
      assert.deepEqual(faults, []);
      await close();
    });
  }
});
