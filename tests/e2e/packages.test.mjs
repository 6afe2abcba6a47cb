import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { afterEach, describe, it } from "node:test";
import { axeViolations } from "./support/axe.mjs";
import { looks, openWindow } from "./support/browser.mjs";
import { admin, member } from "./support/host.mjs";
import { items, itemsDone, packagesIn, use } from "./support/packages.mjs";
import { startSite, temporaryFolder } from "./support/site.mjs";

const { host, api, browser } = await startSite();
const packages = packagesIn(await temporaryFolder());
const acme = await packages.key("acme");
await api.send("POST", "/api/core/keys", { key: acme, name: "Acme Gardens" });

const shots = process.env.SHOTS;
const open = (options) => openWindow(browser, host.url, { signIn: admin, ...options });
const row = (page, name) => page.getByRole("listitem").filter({ hasText: name });

/** Nothing that axe would name, when what fades in is there. */
async function look(page, name) {
  assert.deepEqual(await axeViolations(page), []);
  if (shots) await page.screenshot({ path: `${shots}/${name}.png` });
}

/** Chooses a file in the dialog, and waits until its plan is there. */
async function choose(page, file) {
  await page.getByRole("button", { name: "Install a package" }).click();
  await page.getByRole("dialog").getByLabel("Package", { exact: true }).setInputFiles(file);
  await page.getByRole("dialog").getByText("Signed by").waitFor();
  return page.getByRole("dialog");
}

/** Installs a version without the browser. */
async function put(file) {
  const { cookies } = await signedIn;
  const send = (path, type, body) =>
    fetch(host.url + path, {
      method: "POST",
      headers: { Cookie: cookies, "Content-Type": type },
      body,
    });
  const plan = await (
    await send("/api/core/plugins/plan", "application/octet-stream", await readFile(file))
  ).json();
  const consents = plan.consents.map(({ code }) => code);
  const response = await send(
    "/api/core/plugins",
    "application/json",
    JSON.stringify({ package: plan.package, consents }),
  );
  assert.equal(response.status, 200, await response.text());
}

const signedIn = (async () => {
  const response = await fetch(`${host.url}/api/core/session`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ login: admin.login, password: admin.password }),
  });
  return { cookies: response.headers.get("set-cookie").split(";", 1)[0] };
})();

const plugin = () => api.send("GET", "/api/core/plugins/multi-version");
const titles = async () =>
  (await api.send("GET", "/api/multi-version/items?sort=title")).items.map(({ title }) => title);
const addItem = (title) => api.send("POST", "/api/multi-version/items", { title });

afterEach(async () => {
  const { items } = await api.send("GET", "/api/core/plugins");
  if (items.some(({ id }) => id === "multi-version"))
    await api.send("DELETE", "/api/core/plugins/multi-version?data=purge");
  for (const { name } of (await api.send("GET", "/api/core/exports")).items)
    await api.send("DELETE", `/api/core/exports/${name}`);
});

describe("package install", () => {
  it("shows its plan before it installs", async () => {
    const file = await packages.make("1.0.0");
    const { page, faults, close } = await open();
    await page.goto("/settings/plugins");
    await page.getByRole("button", { name: "Install a package" }).click();
    await page.getByText(/Drop a \.tenon package here/).waitFor();
    await look(page, "choose");
    await page.keyboard.press("Escape");
    const dialog = await choose(page, file);
    await dialog.getByRole("heading", { name: "Install Garden" }).waitFor();
    await dialog.getByText("Acme Gardens").waitFor();
    await dialog.getByText("Trusted", { exact: true }).waitFor();
    await dialog.getByText("multi-version.use").waitFor();
    await dialog.getByRole("region", { name: "Data" }).getByText(/items/).first().waitFor();
    await look(page, "plan-install");
    await dialog.getByRole("button", { name: "Install", exact: true }).click();
    await page.getByText("Garden 1.0.0 installed").waitFor();
    await row(page, "Garden").getByText("Active", { exact: true }).waitFor();
    assert.equal((await plugin()).version, "1.0.0");
    assert.deepEqual(faults, []);
    await close();
  });

  it("starts when a package is dropped", async () => {
    const bytes = [...(await readFile(await packages.make("1.0.0")))];
    const { page, faults, close } = await open();
    await page.goto("/settings/plugins");
    await page.getByRole("button", { name: "Install a package" }).waitFor();
    const data = await page.evaluateHandle((content) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([new Uint8Array(content)], "multi-version.tenon"));
      return transfer;
    }, bytes);
    await page.dispatchEvent("main", "dragover", { dataTransfer: data });
    await page.locator("[data-over]").first().waitFor();
    await page.dispatchEvent("main", "drop", { dataTransfer: data });
    await page.getByRole("dialog").getByText("Signed by").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    assert.deepEqual(faults, []);
    await close();
  });

  it("requires each consent before an upgrade", async () => {
    await put(await packages.make("1.0.0"));
    const more = { id: "multi-version.prune", title: "Prune what grows", roles: ["member"] };
    const file = await packages.make("1.1.0", { permissions: [use, more], table: itemsDone });
    const { page, faults, close } = await open();
    await page.goto("/settings/plugins");
    const dialog = await choose(page, file);
    const button = dialog.getByRole("button", { name: "Upgrade to 1.1.0" });
    await dialog.getByText("New", { exact: true }).waitFor();
    await dialog.getByText(/Add field items\.done/).waitFor();
    await look(page, "plan-upgrade");
    const boxes = await dialog.getByRole("checkbox").all();
    assert.equal(boxes.length, 2);
    for (const box of boxes) {
      assert.equal(await button.isEnabled(), false);
      await box.check();
    }
    await button.click();
    await page.getByText("Garden upgraded to 1.1.0").waitFor();
    assert.equal((await plugin()).version, "1.1.0");
    assert.deepEqual(faults, []);
    await close();
  });

  it("replaces a plugin while another user works", async () => {
    await put(await packages.make("1.0.0"));
    const file = await packages.make("1.1.0", { table: itemsDone });
    const other = await open({ signIn: member });
    await other.page.goto("/");
    await other.page.evaluate(() => {
      window.responses = [];
      window.stays = true;
      window.work = (async () => {
        while (window.stays) {
          const written = await fetch("/api/multi-version/quick", { method: "POST" });
          const { ok, status } = await fetch("/api/multi-version/version");
          window.responses.push(written.ok && ok ? "ok" : `${written.status} ${status}`);
        }
      })();
    });
    const { page, faults, close } = await open();
    await page.goto("/settings/plugins");
    const dialog = await choose(page, file);
    await dialog.getByRole("button", { name: "Upgrade to 1.1.0" }).click();
    await page.getByText("Garden upgraded to 1.1.0").waitFor();
    await row(page, "Garden").getByText("1.1.0").waitFor();
    const [responses, version] = await other.page.evaluate(async () => {
      window.stays = false;
      await window.work;
      return [window.responses, await (await fetch("/api/multi-version/version")).text()];
    });
    assert.ok(responses.length > 1);
    assert.deepEqual(
      responses.filter((response) => response !== "ok"),
      [],
    );
    assert.equal(version, "1.1.0");
    assert.deepEqual([...faults, ...other.faults], []);
    await close();
    await other.close();
  });

  it("rejects an untrusted signer until it is trusted", async () => {
    const key = await packages.key("bolt");
    const file = await packages.make("1.0.0", { key: "bolt" });
    const { page, faults, close } = await open();
    await page.goto("/settings/plugins");
    const dialog = await choose(page, file);
    await dialog.getByText("Unknown publisher").waitFor();
    assert.equal(await dialog.getByRole("button", { name: "Install", exact: true }).count(), 0);
    await look(page, "plan-unknown");
    await dialog.getByRole("button", { name: "Trust this key…" }).click();
    const field = dialog.getByLabel("Public key");
    await field.fill(acme);
    await dialog.getByRole("button", { name: "Trust key" }).click();
    await dialog.getByText(/This is the key .*\. Paste the key that signed the package/).waitFor();
    await look(page, "trust");
    await field.fill(key);
    await dialog.getByLabel("Publisher").fill("Bolt");
    await dialog.getByRole("button", { name: "Trust key" }).click();
    await dialog.getByText("Trusted", { exact: true }).waitFor();
    await dialog.getByRole("button", { name: "Install", exact: true }).click();
    await page.getByText("Garden 1.0.0 installed").waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  it("rejects other files with a reason", async () => {
    const { page, faults, close } = await open();
    await page.goto("/settings/plugins");
    await page.getByRole("button", { name: "Install a package" }).click();
    const dialog = page.getByRole("dialog");
    const file = { name: "photo.tenon", mimeType: "", buffer: Buffer.from("no package") };
    await dialog.getByLabel("Package", { exact: true }).setInputFiles(file);
    await dialog
      .getByText(
        "photo.tenon: This is not a Tenon package, or it is damaged. Download it again.",
      )
      .waitFor();
    await dialog.getByRole("button", { name: "Choose a file" }).waitFor();
    await look(page, "no-package");
    assert.deepEqual(faults, []);
    await close();
  });
});

/** Chooses from the menu of a plugin or key. */
async function act(page, name, item) {
  const label = `Actions for ${name}`;
  await page.getByRole("button", { name: label }).click();
  await page.getByRole("menu", { name: label }).getByRole("menuitem", { name: item }).click();
  return page.getByRole("dialog");
}

const withName = (table) => ({
  ...table,
  fields: [...table.fields, { name: "name", type: "text" }],
});
/** Gives what is there a second name, in the phase in which the version before serves on. */
const named = {
  table: withName(items),
  migrations: { "0001_name.sql": "-- tenon: phase expand\nUPDATE items SET name = title;\n" },
};

describe("installed plugin", () => {
  it("upgrades in phases and rolls back with data", async () => {
    await put(await packages.make("1.0.0"));
    await addItem("one");
    const { page, faults, close } = await open();
    await page.goto("/settings/plugins");
    const upgrade = await choose(page, await packages.make("1.1.0", named));
    await upgrade.getByText("The plugin stays available during the upgrade.").waitFor();
    await upgrade.getByRole("button", { name: "Upgrade" }).click();
    await row(page, "Garden").getByText("1.1.0", { exact: true }).waitFor();
    await addItem("two");
    const dialog = await act(page, "Garden", "Roll back to 1.0.0…");
    await dialog.getByText("All data changes since then will be lost.").waitFor();
    await dialog.getByRole("checkbox", { name: /Keep the current data/ }).check();
    await dialog.getByText(/works with both versions, so nothing is lost/).waitFor();
    await dialog.getByRole("button", { name: "Roll back" }).click();
    await page.getByText("Garden rolled back to 1.0.0").waitFor();
    assert.deepEqual(await titles(), ["one", "two"]);
    assert.deepEqual(faults, []);
    await close();
  });

  it("lists lost changes before a rollback", async () => {
    await put(await packages.make("1.0.0"));
    await addItem("one");
    await put(await packages.make("1.1.0", { table: itemsDone }));
    await addItem("two");
    const { page, faults, close } = await open();
    await page.goto("/settings/plugins");
    await row(page, "Garden").getByText("1.1.0").waitFor();
    assert.deepEqual(await titles(), ["one", "two"]);
    const dialog = await act(page, "Garden", "Roll back to 1.0.0…");
    await dialog.getByText("All data changes since then will be lost.").waitFor();
    await dialog.getByText("items 1 added").waitFor();
    await look(page, "rollback");
    await dialog.getByRole("button", { name: "Roll back" }).click();
    await page.getByText("Garden rolled back to 1.0.0").waitFor();
    await row(page, "Garden").getByText("1.0.0", { exact: true }).waitFor();
    assert.deepEqual(await titles(), ["one"]);
    await page.getByRole("button", { name: "Actions for Garden" }).click();
    await page.getByRole("menuitem", { name: "Remove…" }).waitFor();
    assert.equal(await page.getByRole("menuitem", { name: /Roll back/ }).count(), 0);
    assert.deepEqual(faults, []);
    await close();
  });

  it("shows a failing upgrade until it is dismissed", async () => {
    await put(await packages.make("1.0.0"));
    await put(await packages.make("1.1.6", { table: itemsDone }));
    const { page, faults, close } = await open();
    await page.goto("/settings/plugins/multi-version");
    await page.getByText("1.1.6", { exact: true }).first().waitFor();
    for (let i = 0; i < 60; ++i) await fetch(`${host.url}/api/multi-version/work`);
    await page.getByText(/^Version 1\.1\.6 failed at 30 of 60 requests/).waitFor();
    await look(page, "failing");
    await page.getByRole("button", { name: "Dismiss" }).click();
    await page.getByText(/^Version 1\.1\.6 failed/).waitFor({ state: "detached" });
    assert.equal((await plugin()).reason, null);
    assert.deepEqual(faults, []);
    await close();
  });

  it("keeps its data when it is removed", async () => {
    const file = await packages.make("1.0.0");
    await put(file);
    await addItem("one");
    const { page, faults, close } = await open();
    await page.goto("/settings/plugins/multi-version");
    const { signer } = await plugin();
    await page.getByText(signer).waitFor();
    await look(page, "detail");
    const dialog = await act(page, "Garden", "Remove…");
    await dialog.getByRole("radio", { name: /Keep its data/ }).waitFor();
    await dialog.getByRole("button", { name: "Remove plugin" }).click();
    await page.getByText("Garden removed. Its data is kept.").waitFor();
    await page.waitForURL("**/settings/plugins");
    await row(page, "Notes").waitFor();
    assert.equal(await row(page, "Garden").count(), 0);
    const again = await choose(page, file);
    await again.getByRole("button", { name: "Install", exact: true }).click();
    await row(page, "Garden").getByText("Active", { exact: true }).waitFor();
    assert.deepEqual(await titles(), ["one"]);
    assert.deepEqual(faults, []);
    await close();
  });

  it("deletes its data after its id is typed", async () => {
    const file = await packages.make("1.0.0");
    await put(file);
    await addItem("one");
    const { page, faults, close } = await open();
    await page.goto("/settings/plugins");
    const dialog = await act(page, "Garden", "Remove…");
    await dialog.getByRole("radio", { name: /Delete its data/ }).check();
    await dialog.getByLabel("Type “multi-version” to delete its data").fill("notes");
    const button = dialog.getByRole("button", { name: "Remove plugin and data" });
    await button.click();
    await dialog.getByText("Type “multi-version” exactly.").waitFor();
    await look(page, "remove");
    assert.equal((await plugin()).state, "active");
    await dialog.getByLabel("Type “multi-version” to delete its data").fill("multi-version");
    await button.click();
    await page.getByText("Garden removed", { exact: true }).waitFor();
    await put(file);
    await row(page, "Garden").getByText("Active", { exact: true }).waitFor();
    assert.deepEqual(await titles(), []);
    assert.deepEqual(faults, []);
    await close();
  });

  it("exports its data, which a reinstall restores", async () => {
    const file = await packages.make("1.0.0");
    await put(file);
    await addItem("one");
    await addItem("two");
    const { page, faults, close } = await open();
    await page.goto("/settings/plugins");
    const dialog = await act(page, "Garden", "Remove…");
    await dialog.getByRole("radio", { name: /Export its data/ }).check();
    await look(page, "remove-export");
    await dialog.getByRole("button", { name: "Export data and remove" }).click();
    await page.getByText("Garden removed. Its data is exported.").waitFor();
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download" }).click();
    const download = await downloading;
    assert.match(download.suggestedFilename(), /^multi-version-1\.0\.0-.*\.tar$/);
    await row(page, "Garden").waitFor({ state: "detached" });
    await page.getByRole("tab", { name: "Exports" }).click();
    await row(page, "multi-version 1.0.0")
      .getByText(/2 records/)
      .waitFor();
    await look(page, "exports");

    await page.getByRole("tab", { name: "Plugins" }).click();
    const again = await choose(page, file);
    await again.getByRole("radio", { name: "Start empty" }).waitFor();
    await again.getByRole("radio", { name: /Restore the data of 1\.0\.0/ }).check();
    await look(page, "plan-export");
    await again.getByRole("button", { name: "Install", exact: true }).click();
    await page.getByText("Garden 1.0.0 installed").waitFor();
    assert.deepEqual(await titles(), ["one", "two"]);

    await page.getByRole("tab", { name: "Exports" }).click();
    const { items } = await api.send("GET", "/api/core/exports");
    const asked = await act(page, items[0].name, "Delete…");
    await asked.getByText(/^2 records/).waitFor();
    await look(page, "delete-export");
    await asked.getByRole("button", { name: "Delete export" }).click();
    await page.getByText("Export deleted").waitFor();
    await page.getByText("No exported data").waitFor();
    await look(page, "no-exports");
    assert.deepEqual(faults, []);
    await close();
  });

  it("reports an export that cannot be restored", async () => {
    const later = await packages.make("1.1.0", { table: itemsDone });
    await put(later);
    await addItem("one");
    await api.send("DELETE", "/api/core/plugins/multi-version?data=export");
    const { page, faults, close } = await open();
    await page.goto("/settings/plugins");
    const dialog = await choose(page, await packages.make("1.0.0"));
    await dialog.getByRole("radio", { name: /Restore the data of 1\.1\.0/ }).check();
    await dialog.getByRole("button", { name: "Install", exact: true }).click();
    await dialog.getByText(/The data was written by version 1\.1\.0/).waitFor();
    await look(page, "export-refused");
    const { items } = await api.send("GET", "/api/core/plugins");
    assert.equal(
      items.some(({ id }) => id === "multi-version"),
      false,
    );
    assert.deepEqual(
      faults.filter((fault) => !/409/.test(fault)),
      [],
    );
    await close();
  });

  it("leaves other users' pages when removed", async () => {
    await put(await packages.make("1.0.0"));
    const { page, faults, close } = await open();
    await page.goto("/settings/plugins");
    await row(page, "Garden").waitFor();
    await api.send("DELETE", "/api/core/plugins/multi-version?data=purge");
    await row(page, "Garden").waitFor({ state: "detached" });
    assert.deepEqual(faults, []);
    await close();
  });

  it("offers no removal if it is built in", async () => {
    const { page, faults, close } = await open();
    await page.goto("/settings/plugins/notes");
    await page.getByText("Built in").waitFor();
    assert.equal(await page.getByRole("button", { name: /^Actions for/ }).count(), 0);
    assert.deepEqual(faults, []);
    await close();
  });
});

describe("trusted keys", () => {
  it("are added, removed with Undo, and revoked", async () => {
    const key = await packages.key("carl");
    const { page, faults, close } = await open();
    await page.goto("/settings/plugins");
    await page.getByRole("tab", { name: "Keys" }).click();
    await row(page, "Acme Gardens").getByText("Trusted", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Trust a key" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Public key").fill("no key");
    await dialog.getByLabel("Publisher").fill("Carl");
    await dialog.getByRole("button", { name: "Trust key" }).click();
    await dialog.getByRole("alert").waitFor();
    await dialog.getByLabel("Public key").fill(key);
    await dialog.getByRole("button", { name: "Trust key" }).click();
    await page.getByText("Key Carl trusted").waitFor();
    await row(page, "Carl").getByText(admin.name).waitFor();

    await page.getByRole("button", { name: "Actions for Carl" }).click();
    await page.getByRole("menuitem", { name: "Remove" }).click();
    await row(page, "Carl").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Undo" }).click();
    await row(page, "Carl").waitFor();

    const revoke = await act(page, "Carl", "Revoke…");
    await revoke.getByLabel("Reason").fill("Stolen");
    await look(page, "revoke");
    await revoke.getByRole("button", { name: "Revoke key" }).click();
    await row(page, "Carl").getByText("Revoked", { exact: true }).waitFor();
    await row(page, "Carl")
      .getByText(/Stolen/)
      .waitFor();
    await page.reload();
    await row(page, "Carl").waitFor();
    await look(page, "keys");
    assert.deepEqual(faults, []);
    await close();
  });
});

describe("package pages", () => {
  // The tests above look at them in light.
  for (const { name, ...options } of looks.filter(({ name }) => name !== "light")) {
    it(`are accessible: ${name}`, async () => {
      const shot = (part) => `${name}-${part}`;
      await put(await packages.make("1.0.0"));
      const phased = { ...named, table: withName(itemsDone) };
      const more = { id: "multi-version.prune", title: "Prune what grows", roles: ["member"] };
      const file = await packages.make("1.1.0", { permissions: [use, more], table: itemsDone });
      const { page, faults, close } = await open(options);
      await page.goto("/settings/plugins");
      await row(page, "Garden").waitFor();
      await look(page, shot("list"));
      await choose(page, file);
      await look(page, shot("plan"));
      await page.keyboard.press("Escape");
      await page.goto("/settings/plugins?tab=keys");
      await row(page, "Acme Gardens").waitFor();
      await look(page, shot("keys"));
      await put(file);
      await addItem("one");
      await page.goto("/settings/plugins/multi-version");
      await act(page, "Garden", "Roll back to 1.0.0…");
      await page.getByText("All data changes since then will be lost.").waitFor();
      await look(page, shot("rollback"));
      await page.keyboard.press("Escape");
      await page.goto("/settings/plugins");
      await choose(page, await packages.make("1.2.0", phased));
      await look(page, shot("plan-phases"));
      await page.keyboard.press("Escape");
      await put(await packages.make("1.2.0", phased));
      await page.goto("/settings/plugins/multi-version");
      const rollback = await act(page, "Garden", "Roll back to 1.1.0…");
      await rollback.getByRole("checkbox", { name: /Keep the current data/ }).check();
      await look(page, shot("rollback-keep"));
      await page.keyboard.press("Escape");
      const remove = await act(page, "Garden", "Remove…");
      await remove.getByRole("radio", { name: /Delete its data/ }).check();
      await look(page, shot("remove"));
      await remove.getByRole("radio", { name: /Export its data/ }).check();
      await look(page, shot("remove-export"));
      await remove.getByRole("button", { name: "Export data and remove" }).click();
      await page.getByText("Garden removed. Its data is exported.").waitFor();
      await page.goto("/settings/plugins?tab=exports");
      await row(page, "multi-version 1.2.0").waitFor();
      await look(page, shot("exports"));
      await page.getByRole("tab", { name: "Plugins" }).click();
      const again = await choose(page, file);
      await again.getByRole("radio", { name: /Restore the data/ }).check();
      await look(page, shot("plan-export"));
      await page.keyboard.press("Escape");
      assert.deepEqual(faults, []);
      assert.equal(
        await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth),
        false,
      );
      await close();
    });
  }
});
