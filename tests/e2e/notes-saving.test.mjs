import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { member } from "./support/host.mjs";
import { actions, makeNote, openNotes, share } from "./support/notes.mjs";
import { startSite } from "./support/site.mjs";
import { eventually } from "./support/wait.mjs";

const { host, api, browser } = await startSite();

const open = (options) => openNotes(browser, host.url, options);
const noteOf = (id) => api.send("GET", `/api/notes/notes/${id}`);
const textOf = async (id) => (await noteOf(id)).text;
const status = (page) => page.locator(".notes-note-header .t-save-status");
const saves = "**/api/notes/notes/*";
/** Changes do not come through; all else does. */
const block = (page) =>
  page.route(saves, (route) =>
    route.request().method() === "PATCH" ? route.abort("connectionrefused") : route.fallback(),
  );

/** The tab dies without a word. */
const crash = (page) => page.goto("chrome://crash").catch(() => undefined);

describe("autosave", () => {
  it("survives closing the tab at once", async () => {
    const { id } = await makeNote(api, { title: "Closed at once", text: "one" });
    const { openNote, write, page, close } = await open();
    await openNote("Closed at once");
    await write(" two");
    await page.close();
    await eventually(() => textOf(id), "one two");
    await close();
  });

  it("survives a crashed tab and a stopped server", async () => {
    const { id } = await makeNote(api, { title: "Crashed", text: "one" });
    const { context, page, openNote, write, close } = await open();
    await openNote("Crashed");
    await block(page);
    await write(" two, not sent");
    await status(page).getByText("Offline – kept in this browser").waitFor();
    await crash(page);
    assert.equal(await textOf(id), "one");
    const next = await context.newPage();
    await next.goto("/app/notes");
    await actions(next).toast("Unsaved changes to “Crashed” were saved").waitFor();
    assert.equal(await textOf(id), "one two, not sent");
    await close();
  });

  it("shows a conflict after a remote change", async () => {
    const { id } = await makeNote(api, { title: "Moved on", text: "one" });
    const { context, page, openNote, write, close } = await open();
    await openNote("Moved on");
    await block(page);
    await write(" mine");
    await status(page).getByText("Offline").waitFor();
    await crash(page);
    const patch = await fetch(`${host.url}/api/notes/notes/${id}`, {
      method: "PATCH",
      headers: {
        "Content-Type": "application/json",
        "If-Match": '"1"',
        Cookie: (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join(),
      },
      body: JSON.stringify({ text: "theirs" }),
    });
    assert.equal(patch.status, 200);
    const next = await context.newPage();
    await next.goto("/app/notes");
    await next.getByRole("link", { name: "Moved on" }).click();
    await next.getByRole("region", { name: "Edit conflict" }).waitFor();
    assert.equal(await textOf(id), "theirs");
    await next.getByRole("button", { name: "Keep mine" }).click();
    await eventually(() => textOf(id), "one mine");
    await close();
  });

  it("saves when the connection returns", async () => {
    const { id } = await makeNote(api, { title: "Tunnel", text: "one" });
    const { context, page, openNote, write, saved, faults, close } = await open();
    await openNote("Tunnel");
    await context.setOffline(true);
    await write(" two");
    await status(page).getByText("Offline – kept in this browser").waitFor();
    await context.setOffline(false);
    await saved();
    assert.equal(await textOf(id), "one two");
    assert.deepEqual(faults, []);
    await close();
  });

  it("reports a failure and retries on request", async () => {
    const { id } = await makeNote(api, { title: "Refused", text: "one" });
    const { page, openNote, write, saved, close } = await open();
    await openNote("Refused");
    await page.route(saves, (route) =>
      route.request().method() === "PATCH"
        ? route.fulfill({
            status: 500,
            contentType: "application/problem+json",
            body: JSON.stringify({ code: "data.disk_full", detail: "The disk is full." }),
          })
        : route.fallback(),
    );
    await write(" two");
    await status(page).getByText("Could not save – kept in this browser").waitFor();
    await page.unroute(saves);
    await page.getByRole("button", { name: "Retry" }).click();
    await saved();
    assert.equal(await textOf(id), "one two");
    await close();
  });

  it("saves on Ctrl+S and confirms it", async () => {
    await makeNote(api, { title: "By key", text: "one" });
    const { page, openNote, write, toast, close } = await open();
    await openNote("By key");
    await write(" two");
    await page.keyboard.press("Control+S");
    await toast("Saved").waitFor();
    await close();
  });
});

describe("two windows with one note", () => {
  /**
   * Ada and Grace with the note open. Grace's window cannot read the note until `allowReads`, so her save is made from
   * the text before Ada's.
   */
  async function openTwice(title, text, width = 1280) {
    const { id } = await makeNote(api, { title, text });
    await share(api, { id });
    const first = await open();
    const second = await open({ signIn: member });
    await second.page.setViewportSize({ width, height: 800 });
    await first.openNote(title);
    await second.openNote(title);
    const reads = (route) =>
      route.request().method() === "GET" ? route.abort("connectionrefused") : route.fallback();
    await second.page.route(`**/api/notes/notes/${id}`, reads);
    const allowReads = () => second.page.unroute(`**/api/notes/notes/${id}`, reads);
    const region = second.page.getByRole("region", { name: "Edit conflict" });
    const close = async () => {
      for (const window of [first, second]) {
        assert.deepEqual(window.faults, []);
        await window.close();
      }
    };
    return { id, first, second, region, allowReads, close };
  }

  /** Types at the end of the line that reads `line`. */
  async function extend({ page, text }, line, words) {
    await text.locator(".cm-line").getByText(line, { exact: true }).click();
    await page.keyboard.press("End");
    await page.keyboard.type(words);
  }

  /** Both write at the same place; Ada first. */
  async function conflict(title, width) {
    const windows = await openTwice(title, "one\n\ntwo\n", width);
    const { id, first, second, region, allowReads } = windows;
    await first.write("Ada was here.");
    await first.saved();
    await second.write("Grace was here.");
    await region.getByText("Ada Lovelace changed").waitFor();
    await allowReads();
    for (const words of ["Ada was here.", "Grace was here."])
      await region.getByText(words).waitFor();
    assert.equal(await textOf(id), "one\n\ntwo\nAda was here.");
    return windows;
  }

  it("merge changes of different paragraphs", async () => {
    const { id, first, second, region, allowReads, close } = await openTwice(
      "Merged",
      "one\n\ntwo\n\nthree\n\nfour\n",
    );
    await extend(first, "one", " by Ada");
    await extend(first, "four", " by Ada");
    await first.saved();
    await extend(second, "three", " by Grace");
    await status(second.page).getByText("Merged with changes by Ada Lovelace").waitFor();
    const merged = "one by Ada\n\ntwo\n\nthree by Grace\n\nfour by Ada\n";
    await eventually(() => textOf(id), merged);
    assert.equal(await region.count(), 0);
    await allowReads();
    await second.text.getByText("one by Ada").waitFor();
    // The cursor is where it was.
    await second.page.keyboard.type(", again");
    await eventually(() => textOf(id), merged.replace("Grace", "Grace, again"));
    // Undo reverts only the text of Grace.
    const undone = "one by Ada\n\ntwo\n\nthree\n\nfour by Ada\n";
    for (let index = 0; index < 20; index++) await second.page.keyboard.press("Control+Z");
    await eventually(() => textOf(id), undone);
    await first.text.getByText("three", { exact: true }).waitFor();
    await close();
  });

  for (const [choice, two] of [
    ["Keep mine", "two by Grace"],
    ["Keep theirs", "two by Ada"],
  ]) {
    it(`ask only about the same lines: ${choice}`, async () => {
      const { id, first, second, region, allowReads, close } = await openTwice(
        choice,
        "one\n\ntwo\n\nthree\n",
      );
      await extend(first, "one", " by Ada");
      await extend(first, "two", " by Ada");
      await first.saved();
      const theirs = "one by Ada\n\ntwo by Ada\n\nthree\n";
      await eventually(() => textOf(id), theirs);
      await second.page.route(saves, (route) => route.abort("connectionrefused"));
      await extend(second, "two", " by Grace");
      await extend(second, "three", " by Grace");
      await status(second.page).getByText("Offline").waitFor();
      await second.page.unroute(saves);
      await region.waitFor();
      await allowReads();
      assert.equal(await textOf(id), theirs);
      await second.page.getByRole("button", { name: choice }).click();
      await eventually(() => textOf(id), `one by Ada\n\n${two}\n\nthree by Grace\n`);
      await close();
    });
  }

  it("show both versions and keep mine", async () => {
    const { id, second, close } = await conflict("Keep mine");
    await second.page.getByRole("button", { name: "Keep mine" }).click();
    await eventually(() => textOf(id), "one\n\ntwo\nGrace was here.");
    await second.saved();
    await close();
  });

  it("keep theirs, with Undo", async () => {
    const { id, second, close } = await conflict("Keep theirs");
    await second.page.getByRole("button", { name: "Keep theirs" }).click();
    await second.text.getByText("Ada was here.").waitFor();
    assert.equal(await textOf(id), "one\n\ntwo\nAda was here.");
    await second.undo();
    await eventually(() => textOf(id), "one\n\ntwo\nGrace was here.");
    await close();
  });

  it("keep both, mine as a copy", async () => {
    const { id, second, close } = await conflict("Keep both");
    await second.page.getByRole("button", { name: "Keep both (mine as a copy)" }).click();
    await second.toast("Your text is in “Keep both (my text)”").waitFor();
    // Only the two of them can see it.
    const found = "/api/notes/search?q=Grace%20both";
    assert.deepEqual((await api.send("GET", found)).items, []);
    const read = async (path) => (await second.context.request.get(path)).json();
    const { items } = await read(found);
    const copy = await read(`/api/notes/notes/${items[0].note.id}`);
    assert.equal(copy.text, "one\n\ntwo\nGrace was here.");
    assert.equal(await textOf(id), "one\n\ntwo\nAda was here.");
    await close();
  });

  it("copy single changes and save the result", async () => {
    const { id, second, close } = await conflict("Merge", 1500);
    await second.page.getByRole("button", { name: "Use their lines" }).click();
    await second.page.getByRole("textbox", { name: "Your text" }).click();
    await second.page.keyboard.press("Control+End");
    await second.page.keyboard.type(" And Grace.");
    await second.page.getByRole("button", { name: "Save merged text" }).click();
    await eventually(() => textOf(id), "one\n\ntwo\nAda was here. And Grace.");
    await close();
  });

  it("show a change after live events were lost", async () => {
    const { id } = await makeNote(api, { title: "Watched", text: "one" });
    await share(api, { id });
    const first = await open();
    const second = await open({ signIn: member });
    await second.context.route("**/api/core/events*", (route) => route.abort());
    await second.page.clock.install();
    await second.page.reload();
    await first.openNote("Watched");
    await second.openNote("Watched");
    await first.write(" two");
    await first.saved();
    await second.page.clock.fastForward(60_000);
    await second.page.evaluate(() =>
      document.dispatchEvent(new Event("visibilitychange", { bubbles: true })),
    );
    await eventually(() => second.text.innerText(), "one two");
    assert.equal((await noteOf(id)).version, 2);
    await first.close();
    await second.close();
  });
});

describe("note history", () => {
  it("shows changes and restores with Undo", async () => {
    const { id } = await makeNote(api, { title: "History", text: "The quick fox\n" });
    await share(api, { id });
    const member_ = await open({ signIn: member });
    await member_.openNote("History");
    await member_.text.click();
    await member_.page.keyboard.press("Control+A");
    await member_.page.keyboard.type("The slow fox");
    await member_.saved();
    await member_.close();
    const { page, openNote, panel, undo, faults, close } = await open();
    await openNote("History");
    await panel("History");
    await page.locator(".notes-history a").nth(1).click();
    const diff = page.getByRole("table", { name: "Changes" });
    await diff.locator("del", { hasText: "quick" }).waitFor();
    await diff.locator("ins", { hasText: "slow" }).waitFor();
    const address = page.url();
    await page.reload();
    await diff.locator("del").first().waitFor();
    assert.equal(page.url(), address);
    await page.getByRole("button", { name: "Restore" }).click();
    await eventually(() => textOf(id), "The quick fox\n");
    await undo();
    await eventually(() => textOf(id), "The slow fox");
    assert.deepEqual(faults, []);
    await close();
  });
});

describe("disabled notes plugin", () => {
  it("keeps typed text and saves it when enabled", async () => {
    const { id } = await makeNote(api, { title: "Interrupted", text: "one" });
    const { page, openNote, write, faults, close } = await open();
    await openNote("Interrupted");
    await block(page);
    await write(" two");
    await api.send("POST", "/api/core/plugins/notes/disable");
    await page.getByRole("heading", { name: "Notes is disabled" }).waitFor();
    await page.unroute(saves);
    await api.send("POST", "/api/core/plugins/notes/enable");
    await eventually(() => textOf(id), "one two");
    await page.getByRole("article", { name: "Interrupted" }).waitFor();
    assert.deepEqual(faults, []);
    await close();
  });
});
