import { strToU8, zipSync } from "fflate";
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { openWindow } from "./support/browser.mjs";
import { admin, member } from "./support/host.mjs";
import { actions } from "./support/notes.mjs";
import { freshHost, startBrowser, temporaryFolder } from "./support/site.mjs";

const host = await freshHost();
const browser = await startBrowser();
const folder = await temporaryFolder();

const navigation = (page) => page.getByRole("navigation", { name: "Main" });
const signIn = async (page, { login, password }) => {
  await page.goto("/");
  await page.getByLabel("Username").fill(login);
  await page.getByRole("textbox", { name: "Password" }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Home" }).waitFor();
};

describe("first day of a team", () => {
  it("works from set-up to disabled and enabled notes", async () => {
    // The one who installed it follows the link that the server printed, and adds a colleague.
    const ada = await openWindow(browser, host.url);
    await ada.page.goto(host.setup);
    await ada.page.getByLabel("Your name").fill(admin.name);
    await ada.page.getByLabel("Username").fill(admin.login);
    await ada.page.getByRole("textbox", { name: "Password" }).fill(admin.password);
    await ada.page.getByRole("button", { name: "Create account" }).click();
    await ada.page.getByRole("heading", { name: "Home" }).waitFor();
    await ada.page.goto("/settings/users");
    await ada.page.getByRole("button", { name: "Add user" }).click();
    const form = ada.page.getByRole("dialog");
    await form.getByLabel("Name", { exact: true }).fill(member.name);
    await form.getByLabel("Username").fill(member.login);
    await form.getByLabel("Password").fill(member.password);
    await form.getByRole("button", { name: "Add user" }).click();
    await form.waitFor({ state: "hidden" });

    // The colleague signs in, and writes.
    const grace = await openWindow(browser, host.url);
    const { page } = grace;
    await signIn(page, member);
    await navigation(page).getByRole("link", { name: "Notes" }).click();
    await page.getByRole("heading", { name: "Write your first note" }).waitFor();
    const notes = actions(page);
    await page.getByRole("button", { name: "New note" }).last().press("Enter");
    await notes.title.waitFor();
    await page.keyboard.type("Compiler");
    await page.keyboard.press("Enter");
    await page.keyboard.type("It translates *arithmetic* into machine code.");
    await notes.saved();

    // Imports what was written elsewhere, and finds both.
    const archive = join(folder, "old.zip");
    await writeFile(
      archive,
      zipSync({
        "Navy/mark-i.md": strToU8("# Mark I\n\nSee [[Compiler]]. A moth stopped the arithmetic.\n"),
        "Navy/talks/nanosecond.md": strToU8("# Nanosecond\n\n11.8 inches of wire.\n"),
      }),
    );
    await page.locator(".notes-nav").getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("menuitem", { name: "Import…" }).click();
    await page.getByTestId("import-files").setInputFiles(archive);
    const dialog = page.getByRole("dialog", { name: "Imported 2 notes" });
    await dialog.getByRole("button", { name: "Close" }).last().click();
    await page.getByRole("searchbox", { name: "Search notes" }).fill("arithmetic");
    await page.locator(".notes-row mark", { hasText: "arithmetic" }).nth(1).waitFor();
    await notes.row("Mark I").waitFor();
    await notes.openNote("Compiler");
    const address = page.url();
    await page.evaluate(() => (window.stays = true));

    // The admin switches notes off while that window has it open.
    await ada.page.goto("/settings/plugins");
    const toggle = ada.page.getByRole("switch", { name: "Notes enabled" });
    await toggle.click();
    await page.getByRole("heading", { name: "Notes is disabled" }).waitFor();
    await navigation(page).getByRole("link", { name: "Notes" }).waitFor({ state: "hidden" });
    const refused = await grace.context.request.get("/api/notes/notes");
    assert.equal(refused.status(), 404);
    assert.equal((await refused.json()).code, "plugins.not_active");

    // And on: everything is there, in a window that never reloaded.
    await toggle.click();
    await page.getByRole("article", { name: "Compiler", exact: true }).waitFor();
    assert.equal(page.url(), address);
    assert.equal(await page.evaluate(() => window.stays), true);
    await notes.write(" And back.");
    await notes.saved();
    await page.getByRole("searchbox", { name: "Search notes" }).fill("");
    for (const name of ["Compiler", "Mark I", "Nanosecond"]) await notes.row(name).waitFor();
    await page.reload();
    await notes.openNote("Compiler");
    assert.match(await notes.text.innerText(), /It translates arithmetic .* And back\.$/);
    assert.deepEqual([...ada.faults, ...grace.faults], []);
    await ada.close();
    await grace.close();
  });
});
