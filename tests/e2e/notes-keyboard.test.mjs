import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeNote, openNotes } from "./support/notes.mjs";
import { startSite } from "./support/site.mjs";
import { eventually } from "./support/wait.mjs";

const { host, api, browser } = await startSite();

const open = (options) => openNotes(browser, host.url, options);
const noteOf = (id) => api.send("GET", `/api/notes/notes/${id}`);

/** Contains the letter of every command, and `g h`, the shell's way home. */
const prose = "jumping monkeys put light plain words right/left? [so]";

describe("keys outside the list", () => {
  /** Two notes, the second one open. */
  async function openSecond(title) {
    await makeNote(api, { title: `${title} before`, text: "x" });
    const { id } = await makeNote(api, { title, text: "First line" });
    const window = await open();
    await window.openNote(title);
    return { ...window, id, address: window.page.url() };
  }

  /** Nothing was moved, pinned, opened or begun. */
  async function assertUntouched({ page, id, address, faults }) {
    assert.equal(page.url(), address);
    assert.equal(await page.getByRole("dialog").count(), 0);
    const { pinned, notebook } = await noteOf(id);
    assert.deepEqual({ pinned, notebook }, { pinned: false, notebook: null });
    assert.deepEqual(faults, []);
  }

  it("do nothing after Escape in the editor", async () => {
    const window = await openSecond("Escaped");
    const { page, text, id } = window;
    await text.click();
    await page.keyboard.press("Escape");
    await page.getByRole("article", { name: "Escaped" }).and(page.locator(":focus")).waitFor();
    await page.keyboard.type(prose);
    // Ctrl S is handled after all letters before it.
    await page.keyboard.press("Control+S");
    await window.toast("Saved").waitFor();
    await assertUntouched(window);
    assert.equal((await noteOf(id)).text, "First line");
    await window.close();
  });

  it("go into the text after Attach files", async () => {
    const window = await openSecond("Attached");
    const { page, text, id } = window;
    await text.click();
    await page.keyboard.press("Control+End");
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Attach files" }).click();
    await (
      await chooser
    ).setFiles({ name: "plan.txt", mimeType: "text/plain", buffer: Buffer.from("plan") });
    await text.and(page.locator(":focus")).waitFor();
    await text.getByText("plan.txt").waitFor();
    await page.keyboard.type(prose);
    await eventually(async () => (await noteOf(id)).text.includes(prose), true);
    await assertUntouched(window);
    await window.close();
  });

  it("do nothing while a button has focus", async () => {
    const window = await openSecond("Button");
    const { page } = window;
    await page.getByRole("button", { name: "Attach files" }).focus();
    await page.keyboard.type("njkpml");
    await page.keyboard.press("Control+S");
    await window.toast("Saved").waitFor();
    await assertUntouched(window);
    await window.close();
  });
});

describe("keys in the list", () => {
  it("open, pin, move and create notes", async () => {
    for (const title of ["Willow", "Poplar", "Linden"]) await makeNote(api, { title, text: "x" });
    const { page, list, title, openNote, faults, close } = await open();
    await openNote("Linden");
    const article = (name) => page.getByRole("article", { name, exact: true });
    await list.press("j");
    await article("Poplar").waitFor();
    await list.press("k");
    await article("Linden").waitFor();
    const [id] = /[0-9a-f-]{36}$/.exec(new URL(page.url()).pathname) ?? [];
    await list.press("p");
    await eventually(async () => (await noteOf(id)).pinned, true);
    await list.press("m");
    await page.getByRole("combobox", { name: "Find a notebook" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await list.press("n");
    await title.and(page.locator(":focus")).waitFor();
    assert.equal(await title.inputValue(), "");
    assert.deepEqual(faults, []);
    await close();
  });
});
