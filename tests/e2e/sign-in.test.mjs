import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openWindow } from "./support/browser.mjs";
import { admin } from "./support/host.mjs";
import { freshHost, startSite } from "./support/site.mjs";

const { host, browser } = await startSite();

describe("first set-up", () => {
  it("is required at every address", async () => {
    const host = await freshHost();
    const { page, faults, close } = await openWindow(browser, host.url);
    await page.goto("/app/notes");
    await page.getByRole("heading", { name: /^Set up / }).waitFor();
    await page.getByLabel("Set-up token").waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  it("rejects a wrong token and a short password", async () => {
    const host = await freshHost();
    const { page, close } = await openWindow(browser, host.url);
    await page.goto("/setup?token=wrong");
    await page.getByLabel("Your name").fill(admin.name);
    await page.getByLabel("Username").fill(admin.login);
    await page.getByRole("textbox", { name: "Password" }).fill(admin.password);
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByText("This set-up link is not valid.").waitFor();
    await page.goto(host.setup);
    await page.getByLabel("Your name").fill(admin.name);
    await page.getByLabel("Username").fill(admin.login);
    const password = page.getByRole("textbox", { name: "Password" });
    await password.fill("short");
    await page.keyboard.press("Enter");
    await page.locator('[name="password"][aria-invalid="true"]').waitFor();
    assert.match(
      await password.evaluate((input) => input.ariaDescribedByElements?.at(-1)?.textContent ?? ""),
      /8/,
    );
    await close();
  });

  it("creates the first admin and removes the link", async () => {
    const host = await freshHost();
    const { page, faults, close } = await openWindow(browser, host.url);
    await page.goto(host.setup);
    await page.getByLabel("Your name").fill(admin.name);
    await page.getByLabel("Username").fill(admin.login);
    await page.getByRole("textbox", { name: "Password" }).fill(admin.password);
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByRole("heading", { name: "Home" }).waitFor();
    assert.equal(new URL(page.url()).pathname, "/");
    assert.doesNotMatch(page.url(), /token/);
    await page.goto(host.setup);
    await page.getByRole("heading", { name: "Home" }).waitFor();
    assert.deepEqual(faults, []);
    await close();
  });
});

describe("sign-in", () => {
  it("offers no further set-up", async () => {
    const { page, close } = await openWindow(browser, host.url);
    await page.goto(host.setup);
    await page.getByRole("heading", { name: /^Sign in to / }).waitFor();
    await close();
  });

  it("hides whether username or password is wrong", async () => {
    const { page, faults, close } = await openWindow(browser, host.url);
    await page.goto("/");
    await page.getByLabel("Username").fill("unknown");
    await page.getByRole("textbox", { name: "Password" }).fill("wrong horse");
    await page.keyboard.press("Enter");
    await page.getByText("The username or password is wrong.").waitFor();
    assert.equal(
      await page.evaluate(() => document.activeElement?.getAttribute("name")),
      "password",
    );
    assert.deepEqual(faults, []);
    await close();
  });

  it("opens the requested page and signs out", async () => {
    const { page, faults, close } = await openWindow(browser, host.url);
    await page.goto("/settings/account");
    await page.getByLabel("Username").fill(admin.login);
    await page.getByRole("textbox", { name: "Password" }).fill(admin.password);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Account", level: 1 }).waitFor();
    await page.getByRole("button", { name: admin.name }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: /^Sign in to / }).waitFor();
    await page.goBack();
    await page.getByRole("heading", { name: /^Sign in to / }).waitFor();
    assert.deepEqual(faults, []);
    await close();
  });
});
