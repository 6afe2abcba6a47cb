import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { axeViolations } from "./support/axe.mjs";
import { looks, openWindow } from "./support/browser.mjs";
import { admin, ownAddress, startHost } from "./support/host.mjs";
import { makeNote, openNotes } from "./support/notes.mjs";
import { startSite } from "./support/site.mjs";
import { makeBoard } from "./support/tasks.mjs";

const { host, api, browser } = await startSite();
const { path } = await makeBoard(api, "Launch", { "To do": ["Write the page"] });

const open = (options) => openWindow(browser, host.url, { signIn: admin, ...options });
/** All bars above a page. */
const bars = (page) => page.locator(".shell-notice, .shell-follow");
const navigation = (page) => page.getByRole("navigation", { name: "Main" });

describe("page that failed to load offline", () => {
  it("loads when the connection returns", async () => {
    const { page, context, close } = await open();
    await page.goto("/");
    await page.getByRole("heading", { name: "Home" }).waitFor();
    await context.setOffline(true);
    await navigation(page).getByRole("link", { name: "Tasks" }).click();
    await page.getByText("Part of the app did not load. Check your connection.").waitFor();
    await context.setOffline(false);
    await page.getByRole("link", { name: /^Launch/ }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Retry" }).count(), 0);
    await close();
  });

  it("refetches its data when the connection returns", async () => {
    const { page, context, faults, close } = await open();
    await page.goto(path);
    await page.getByRole("link", { name: "Write the page" }).waitFor();
    await page.route("**/api/tasks/boards?**", (route) => route.abort("connectionrefused"));
    await context.setOffline(true);
    await page.getByRole("link", { name: "Tasks", exact: true }).last().click();
    await page.getByText("Could not load the boards").waitFor();
    await page.unrouteAll();
    await context.setOffline(false);
    await page.getByRole("link", { name: /^Launch/ }).waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  it("loads when the server restarts", async () => {
    const { host, browser } = await startSite({ listen: ownAddress() });
    const { page, close } = await openWindow(browser, host.url, { signIn: admin });
    await page.goto("/");
    await page.getByRole("heading", { name: "Home" }).waitFor();
    await host.halt();
    await navigation(page).getByRole("link", { name: "Notes" }).click();
    await bars(page).getByText("The server cannot be reached.").waitFor();
    await page.getByRole("button", { name: "Retry" }).waitFor();
    Object.assign(host, await startHost({ data: host.data, listen: new URL(host.url).host }));
    await page.getByText("No notes yet").waitFor();
    await bars(page).waitFor({ state: "detached" });
    await close();
  });
});

describe("connection notice", () => {
  it("warns that changes cannot be saved", async () => {
    const { page, context, faults, close } = await open();
    await page.goto(path);
    await page.getByRole("link", { name: "Write the page" }).waitFor();
    await context.setOffline(true);
    await bars(page).getByText("Changes cannot be saved").waitFor();
    assert.equal(await bars(page).count(), 1);
    await context.setOffline(false);
    await bars(page).waitFor({ state: "detached" });
    assert.deepEqual(faults, []);
    await close();
  });

  it("promises kept changes only while they exist", async () => {
    await makeNote(api, { title: "Tunnel", text: "one" });
    const { page, context, openNote, write, saved, close } = await openNotes(browser, host.url);
    await openNote("Tunnel");
    await context.setOffline(true);
    await bars(page).getByText("Changes cannot be saved").waitFor();
    await write(" two");
    await bars(page).getByText("Your changes are kept in this browser").waitFor();
    assert.equal(await bars(page).count(), 1);
    await context.setOffline(false);
    await bars(page).waitFor({ state: "detached" });
    await saved();
    await close();
  });

  it("keeps the phone navigation reachable", async () => {
    const { page, context, close } = await open({ phone: true });
    await page.goto("/");
    await page.getByRole("heading", { name: "Home" }).waitFor();
    await context.setOffline(true);
    await bars(page).waitFor();
    await page.getByRole("button", { name: "Navigation" }).tap();
    await page.getByRole("dialog", { name: "Navigation" }).waitFor();
    await close();
  });

  it("shows that the palette failed to load", async () => {
    const { page, close } = await open();
    await page.goto("/");
    await page.getByRole("heading", { name: "Home" }).waitFor();
    await page.route(/\/palette\.\w+\.js$/, (route) => route.abort());
    await page.keyboard.press("Control+k");
    await page
      .getByRole("region", { name: "Notifications" })
      .getByText("Part of the app did not load.")
      .waitFor();
    await page.getByRole("heading", { name: "Home" }).waitFor();
    await close();
  });

  for (const { name, dark, phone } of looks)
    it(`is accessible (${name})`, async () => {
      const { page, context, close } = await open({ dark, phone });
      await page.goto(path);
      await page.getByRole("link", { name: "Write the page" }).waitFor();
      await context.setOffline(true);
      await bars(page).waitFor();
      assert.deepEqual(await axeViolations(page), []);
      await close();
    });
});
