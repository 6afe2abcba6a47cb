import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openWindow } from "./support/browser.mjs";
import { admin, Api, member } from "./support/host.mjs";
import { startSite } from "./support/site.mjs";

const { host, browser } = await startSite();

const open = (options) => openWindow(browser, host.url, { signIn: admin, ...options });
const row = (page, name) => page.getByRole("listitem").filter({ hasText: name });

describe("users", () => {
  it("are added with a working password", async () => {
    const { page, faults, close } = await open();
    await page.goto("/settings/users");
    await page.getByRole("button", { name: "Add user" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("Barbara Liskov");
    await dialog.getByLabel("Username").fill("barbara");
    const password = await dialog.getByLabel("Password").inputValue();
    await dialog.getByRole("button", { name: "Add user" }).click();
    await row(page, "Barbara Liskov").waitFor();
    await dialog.waitFor({ state: "detached" });
    await new Api(host.url).signIn({ login: "barbara", password });
    assert.deepEqual(faults, []);
    await close();
  });

  it("keep the form open after a refusal", async () => {
    const { page, close } = await open();
    await page.goto("/settings/users");
    await page.getByRole("button", { name: "Add user" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("A new user");
    await dialog.getByLabel("Username").fill(member.login);
    await dialog.getByRole("button", { name: "Add user" }).click();
    await dialog.getByRole("alert").or(dialog.locator("[aria-invalid]")).first().waitFor();
    assert.equal(await dialog.getByLabel("Name", { exact: true }).inputValue(), "A new user");
    await close();
  });

  it("lose their open page when disabled", async () => {
    const theirs = await open({ signIn: member });
    await theirs.page.goto("/");
    await theirs.page.getByRole("heading", { name: "Home" }).waitFor();
    const { page, faults, close } = await open();
    await page.goto("/settings/users");
    await row(page, member.name).getByRole("button").click();
    await page.getByRole("menuitem", { name: "Disable" }).click();
    await row(page, member.name).getByText("Disabled").waitFor();
    await theirs.page.getByRole("heading", { name: /disabled|signed out/ }).waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await row(page, member.name).getByText("Disabled").waitFor({ state: "detached" });
    assert.deepEqual(faults, []);
    await close();
    await theirs.close();
  });
});

describe("expired session", () => {
  it("continues on the same page after sign-in", async () => {
    const { page, faults, close } = await open();
    await page.goto("/settings/users");
    await page.getByRole("button", { name: "Add user" }).click();
    await page.getByRole("dialog").getByLabel("Name", { exact: true }).fill("Half a name");

    const other = new Api(host.url);
    await other.signIn(admin);
    const { items } = await other.send("GET", "/api/core/sessions");
    for (const { id, current } of items)
      if (!current) await other.send("DELETE", `/api/core/sessions/${id}`);

    await page.getByRole("heading", { name: "You are signed out" }).waitFor();
    const ended = page.getByRole("dialog", { name: "You are signed out" });
    await page.keyboard.press("Escape");
    await ended.locator('[name="password"]').fill(admin.password);
    await page.keyboard.press("Enter");
    await ended.waitFor({ state: "detached" });
    const name = page.getByRole("dialog").getByLabel("Name", { exact: true });
    assert.equal(await name.inputValue(), "Half a name");
    assert.deepEqual(faults, []);
    await close();
  });
});

describe("own account", () => {
  it("changes the password with the old one", async () => {
    const { page, faults, close } = await open({ signIn: member });
    await page.goto("/settings/account");
    await page.getByText("This browser", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Change password" }).click();
    const dialog = page.getByRole("dialog");
    const [old, fresh] = [dialog.getByLabel("Current password"), dialog.getByLabel("New password")];
    await old.fill("not my password");
    await fresh.fill("another long password");
    await page.keyboard.press("Enter");
    await dialog.getByText("The current password is wrong.").waitFor();
    await old.fill(member.password);
    await page.keyboard.press("Enter");
    await page.getByText("Password changed.").waitFor();
    await page.reload();
    await page.getByText("This browser", { exact: true }).waitFor();
    await new Api(host.url).signIn({ login: member.login, password: "another long password" });
    assert.deepEqual(faults, []);
    await close();
  });
});
