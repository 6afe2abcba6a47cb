import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, it } from "node:test";
import { axeViolations } from "./support/axe.mjs";
import { looks, openWindow } from "./support/browser.mjs";
import { admin } from "./support/host.mjs";
import { install, packagesIn } from "./support/packages.mjs";
import { startSite, temporaryFolder } from "./support/site.mjs";

const { host, api, browser } = await startSite();
const folder = await temporaryFolder();
const packages = packagesIn(folder);
const key = await packages.key("acme");
await api.send("POST", "/api/core/keys", { key, name: "Acme Gardens" });

const shots = process.env.SHOTS;
const row = (page, name) => page.getByRole("listitem").filter({ hasText: name });
const titles = async () =>
  (await api.send("GET", "/api/multi-version/items?sort=title")).items.map(({ title }) => title);
const exportsThere = async () => (await api.send("GET", "/api/core/exports")).items;

/** Nothing that axe would name, when what fades in is there. */
async function look(page, name) {
  assert.deepEqual(await axeViolations(page), []);
  if (shots) await page.screenshot({ path: `${shots}/${name}.png` });
}

/** An export on this computer that the server has no more; its name there, and the package that takes it back. */
async function exported() {
  const file = await packages.make("1.0.0");
  await install(host.url, admin, file);
  await api.send("POST", "/api/multi-version/items", { title: "one" });
  await api.send("DELETE", "/api/core/plugins/multi-version?data=export");
  const [{ name }] = await exportsThere();
  const path = join(folder, name);
  await writeFile(path, await readFile(join(host.data, "exports", name)));
  await api.send("DELETE", `/api/core/exports/${name}`);
  return { path, name, file };
}

async function openExports(options) {
  const window = await openWindow(browser, host.url, { signIn: admin, ...options });
  await window.page.goto("/settings/plugins?tab=exports");
  await window.page.getByText("No exported data").waitFor();
  return window;
}

async function choose(page, file) {
  await page.getByRole("button", { name: "Upload an export" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Export", { exact: true }).setInputFiles(file);
  return dialog;
}

afterEach(async () => {
  const { items } = await api.send("GET", "/api/core/plugins");
  if (items.some(({ id }) => id === "multi-version"))
    await api.send("DELETE", "/api/core/plugins/multi-version?data=purge");
  for (const { name } of await exportsThere())
    await api.send("DELETE", `/api/core/exports/${name}`);
});

describe("uploaded export", () => {
  it("is listed and restored by an install", async () => {
    const { path, file } = await exported();
    const { page, faults, close } = await openExports();
    await choose(page, path);
    await page
      .getByText("Export of multi-version 1.0.0 uploaded. Install the plugin to restore its data.")
      .waitFor();
    await row(page, "multi-version 1.0.0")
      .getByText(/1 record/)
      .waitFor();
    await look(page, "uploaded");
    await page.getByRole("tab", { name: "Plugins" }).click();
    await page.getByRole("button", { name: "Install a package" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Package", { exact: true }).setInputFiles(file);
    await dialog.getByRole("radio", { name: /Restore the data of 1\.0\.0/ }).check();
    await dialog.getByRole("button", { name: "Install", exact: true }).click();
    await page.getByText("Garden 1.0.0 installed").waitFor();
    assert.deepEqual(await titles(), ["one"]);
    assert.deepEqual(faults, []);
    await close();
  });

  it("starts when a file is dropped", async () => {
    const { path, name } = await exported();
    const { page, faults, close } = await openExports();
    await page.getByRole("tab", { name: "Plugins" }).click();
    await row(page, "Notes").waitFor();
    const data = await page.evaluateHandle(
      ([content, as]) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([new Uint8Array(content)], as));
        return transfer;
      },
      [[...(await readFile(path))], name],
    );
    await page.dispatchEvent("main", "dragover", { dataTransfer: data });
    await page.dispatchEvent("main", "drop", { dataTransfer: data });
    await row(page, "multi-version 1.0.0").waitFor();
    assert.equal(await page.getByRole("tab", { name: "Exports", selected: true }).count(), 1);
    assert.deepEqual(faults, []);
    await close();
  });

  it("is rejected if damaged, invalid or duplicate", async () => {
    const { path } = await exported();
    const whole = await readFile(path);
    const { page, faults, close } = await openExports();
    const dialog = await choose(page, {
      name: "half.tar",
      mimeType: "",
      buffer: whole.subarray(0, whole.length / 2),
    });
    await dialog.getByText(/^half\.tar: .*It is cut off: get the file again/).waitFor();
    await look(page, "upload-damaged");
    const input = dialog.getByLabel("Export", { exact: true });
    await input.setInputFiles({ name: "photo.tar", mimeType: "", buffer: Buffer.alloc(4096, "x") });
    await dialog.getByText(/^photo\.tar: This is no export of a plugin's data/).waitFor();
    assert.deepEqual(await exportsThere(), []);
    await input.setInputFiles(path);
    await row(page, "multi-version 1.0.0").waitFor();
    const again = await choose(page, path);
    await again.getByText(/It is here already, as multi-version-1\.0\.0-/).waitFor();
    assert.equal((await exportsThere()).length, 1);
    assert.deepEqual(
      faults.filter((fault) => !/409|422/.test(fault)),
      [],
    );
    await close();
  });
});

describe("export upload page", () => {
  for (const { name, ...options } of looks) {
    it(`is accessible: ${name}`, async () => {
      const shot = (part) => `${name}-${part}`;
      const { path } = await exported();
      const { page, faults, close } = await openExports(options);
      await look(page, shot("no-exports"));
      await page.getByRole("button", { name: "Upload an export" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByText(/Drop a \.tar export here/).waitFor();
      await look(page, shot("upload"));
      let proceed = () => undefined;
      const held = new Promise((resolve) => (proceed = resolve));
      await page.route("**/api/core/exports", async (route) => {
        await held;
        await route.continue();
      });
      await dialog.getByLabel("Export", { exact: true }).setInputFiles(path);
      await dialog.getByRole("progressbar").waitFor();
      await look(page, shot("sending"));
      proceed();
      await row(page, "multi-version 1.0.0").waitFor();
      await look(page, shot("listed"));
      assert.equal(
        await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth),
        false,
      );
      assert.deepEqual(faults, []);
      await close();
    });
  }
});
