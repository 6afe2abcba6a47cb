import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { axeViolations } from "./support/axe.mjs";
import { openWindow } from "./support/browser.mjs";
import { admin, member } from "./support/host.mjs";
import { makeNote } from "./support/notes.mjs";
import { startSite } from "./support/site.mjs";
import { makeBoard } from "./support/tasks.mjs";

const { host, api, browser } = await startSite({ hello: { widgets: true, elsewhere: true } });

const open = (options) => openWindow(browser, host.url, { signIn: admin, ...options });

describe("plugin page", () => {
  it("loads from its own chunk with its data", async () => {
    const { page, faults, close } = await open();
    await page.goto("/app/hello");
    const chunk = page.waitForRequest(/\/greet-page\.\w+\.js$/);
    await page.getByRole("link", { name: "Greet Ada" }).click();
    await chunk;
    const text = page.getByText("Hello Ada", { exact: true });
    await text.waitFor();
    assert.equal(await text.evaluate((element) => getComputedStyle(element).color), "rgb(1, 2, 3)");
    await page
      .getByRole("navigation", { name: "Breadcrumb" })
      .getByRole("link", { name: "Hello" })
      .click();
    await page.getByText("No greetings yet").waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  it("styles nothing outside of the plugin", async () => {
    const { page, close } = await open();
    const spacing = () =>
      page.locator("h1").evaluate((element) => getComputedStyle(element).letterSpacing);
    await page.goto("/app/hello");
    await page.getByText("No greetings yet").waitFor();
    assert.equal(await spacing(), "3px");
    await page.getByRole("link", { name: "Home" }).first().click();
    await page.getByRole("heading", { name: "Home" }).waitFor();
    assert.equal(await spacing(), "normal");
    await close();
  });

  for (const how of ["render", "effect"]) {
    it(`contains a crash in its ${how}`, async () => {
      const { page, close } = await open();
      await page.goto(`/app/hello/crash/${how}`);
      await page.getByRole("heading", { name: "Something went wrong in Hello" }).waitFor();
      await page.getByText("Details").click();
      await page.getByText(/broken (while it renders|in an effect)/).waitFor();
      await page.getByRole("link", { name: "Home" }).first().click();
      await page.getByRole("heading", { name: "Home" }).waitFor();
      await page.getByRole("link", { name: "Hello" }).first().click();
      await page.getByText("No greetings yet").waitFor();
      await close();
    });
  }

  it("reports an error thrown in an event", async () => {
    const { page, close } = await open();
    await page.goto("/app/hello/crash/not-yet");
    await page.getByRole("button", { name: "Event" }).click();
    await page.getByText("Something went wrong in Hello. The page still works.").waitFor();
    await page.getByRole("button", { name: "Event" }).waitFor();
    await close();
  });

  it("reports a missing chunk and retries", async () => {
    const { page, close } = await open();
    await page.goto("/app/hello");
    await page.getByText("No greetings yet").waitFor();
    let broken = true;
    await page.route(/\/greet-page\./, (route) => (broken ? route.abort() : route.continue()));
    await page.getByRole("link", { name: "Greet Ada" }).click();
    await page.getByRole("heading", { name: "Could not load Hello" }).waitFor();
    broken = false;
    await page.getByRole("button", { name: "Retry" }).click();
    await page.getByText("Hello Ada", { exact: true }).waitFor();
    await close();
  });

  it("supports every control within the content policy", async () => {
    for (const dark of [false, true]) {
      const { page, faults, close } = await open({ dark });
      await page.goto("/app/hello/controls", { waitUntil: "networkidle" });
      await page.getByRole("heading", { name: "Controls" }).waitFor();
      assert.deepEqual(await axeViolations(page), []);
      await page.getByRole("button", { name: /Calendar Due/ }).click();
      await page.getByRole("grid", { name: /November 2026/ }).waitFor();
      assert.ok(
        await page.locator('[data-plugin="hello"] .t-aria-popover').count(),
        "inside of the plugin's scope",
      );
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Actions", exact: true }).click();
      await page.getByRole("menuitem", { name: "Move" }).press("ArrowRight");
      const inner = page.getByRole("menuitem", { name: "Up" });
      await inner.waitFor();
      await page.keyboard.press("Escape");
      await inner.waitFor({ state: "detached" });
      await page.keyboard.press("Escape");
      await page.getByRole("menuitem", { name: "Move" }).waitFor({ state: "detached" });
      const assignee = page.getByRole("combobox", { name: "Assignee" });
      await assignee.fill("eds");
      await page.getByRole("option", { name: "Edsger Dijkstra" }).click();
      assert.equal(await assignee.inputValue(), "Edsger Dijkstra");
      const readers = page.getByRole("combobox", { name: "Share with" });
      await readers.fill("hop");
      await page.getByRole("option", { name: member.name }).click();
      const chosen = page.getByRole("grid", { name: "Share with: chosen" });
      const reader = chosen.getByRole("row", { name: member.name });
      await reader.waitFor();
      assert.equal(await readers.inputValue(), "");
      assert.deepEqual(await axeViolations(page), []);
      await readers.press("Backspace");
      await reader.waitFor({ state: "detached" });
      const rows = page.getByRole("listbox", { name: "Rows" });
      await rows.focus();
      await page.keyboard.press("End");
      await rows.getByRole("option", { name: "Row 4999" }).waitFor();
      await page.keyboard.press("Enter");
      await rows.getByRole("option", { name: "Row 4999", selected: true }).waitFor();
      assert.deepEqual(faults, []);
      await close();
    }
  });
});

describe("plugin contributions", () => {
  it("include a widget on the home page", async () => {
    const { page, faults, close } = await open();
    await page.goto("/");
    await page.getByText("No greetings today").waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  it("include palette commands and search", async () => {
    const { page, faults, close } = await open();
    await page.goto("/settings/account");
    await page.getByRole("heading", { name: "Account", level: 1 }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("Barbara");
    await page.getByRole("option", { name: "Greet Barbara" }).click();
    await page.getByText("Hello Barbara", { exact: true }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("mark");
    await page.getByRole("option", { name: "Mark the title", selected: true }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.title === "marked");
    await page.keyboard.press("w");
    await page.waitForFunction(() => document.title === "waved");
    assert.deepEqual(faults, []);
    await close();
  });

  it("include panels of other pages", async () => {
    const note = await makeNote(api, { title: "Rye bread", text: "Rye" });
    const { page, faults, close } = await open();
    await page.goto("/settings/account");
    const panel = page.getByRole("region", { name: "Greeting", exact: true });
    await panel.getByText("Hello account").waitFor();
    assert.deepEqual(await axeViolations(page), []);
    await page.goto("/settings/plugins/hello");
    await page.getByRole("region", { name: "Greetings of all" }).waitFor();
    await page.goto(`/app/notes/all/${note.id}?panel=outline`);
    await page.getByText(`Hello note ${note.id}`).waitFor();
    assert.deepEqual(await axeViolations(page), []);
    await api.send("POST", "/api/core/plugins/hello/disable");
    await page.getByText(`Hello note ${note.id}`).waitFor({ state: "detached" });
    await api.send("POST", "/api/core/plugins/hello/enable");
    await page.getByText(`Hello note ${note.id}`).waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  it("include actions on records", async () => {
    const note = await makeNote(api, { title: "Rye bread", text: "Rye" });
    const { cards, path } = await makeBoard(api, "Launch", { "To do": ["Bake"] });
    const { page, faults, close } = await open();
    /** @type {string[]} */
    const loaded = [];
    page.on("request", (request) => {
      if (request.url().includes("/hello/")) loaded.push(request.url());
    });
    await page.goto(`/app/notes/all/${note.id}`);
    const more = page.locator(".notes-note-header").getByRole("button", { name: "More" });
    await more.click();
    const wave = page.getByRole("menuitem", { name: "Wave at the note" });
    await wave.locator("svg path").first().waitFor();
    assert.deepEqual(loaded, []);
    await wave.click();
    const toasts = page.getByRole("region", { name: "Notifications" });
    await toasts.getByText("Hello waves at “Rye bread”").waitFor();
    await more.click();
    await page.getByRole("menuitem", { name: "Wave with the other hand" }).click();
    await toasts.getByText("Could not run “Wave with the other hand” in Hello").waitFor();
    await page.goto(`${path}/card/${cards.Bake.id}`);
    const dialog = page.getByRole("dialog", { name: "Bake" });
    await dialog.getByRole("button", { name: "More", exact: true }).click();
    assert.deepEqual(await axeViolations(page), []);
    await page.getByRole("menuitem", { name: "Wave at the card" }).click();
    await toasts.getByText("Waved at “Bake”").waitFor();
    assert.deepEqual(
      faults.filter((fault) => !String(fault).includes("The hand is tired.")),
      [],
    );
    await close();
  });

  it("include an icon and a badge", async () => {
    const { page, close } = await open();
    await page.goto("/app/hello");
    const link = page
      .getByRole("navigation", { name: "Main" })
      .getByRole("link", { name: /Hello/ });
    await link.getByText("2", { exact: false }).first().waitFor();
    await link.locator("svg path").first().waitFor();
    await close();
  });

  it("end with the plugin", async () => {
    const { page, faults, close } = await open();
    await page.goto("/app/hello/greet/Ada");
    await page.getByText("Hello Ada", { exact: true }).waitFor();
    await api.send("POST", "/api/core/plugins/hello/disable");
    await page.getByRole("heading", { name: "Hello is disabled" }).waitFor();
    await page.waitForFunction(
      () => document.documentElement.getAttribute("data-hello-ended") === "0.1.0",
    );
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("wave");
    await page.getByText("No results for “wave”").waitFor();
    await page.keyboard.press("Escape");
    await api.send("POST", "/api/core/plugins/hello/enable");
    await page.getByText("Hello Ada", { exact: true }).waitFor();
    assert.deepEqual(faults, []);
    await close();
  });
});
