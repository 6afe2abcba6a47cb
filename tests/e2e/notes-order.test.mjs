import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeNote, openNotes } from "./support/notes.mjs";
import { startSite } from "./support/site.mjs";
import { eventually } from "./support/wait.mjs";

const { host, api, browser } = await startSite();

const open = (options) => openNotes(browser, host.url, options);
const note = (id) => api.send("GET", `/api/notes/notes/${id}`);
const notebook = async (name, parent = null) =>
  api.send("POST", "/api/notes/notebooks", { name, parent });

describe("notebooks", () => {
  it("are created, renamed, moved and deleted", async () => {
    const { page, toast, faults, close } = await open();
    const nav = page.getByRole("navigation", { name: "Notebooks and tags" });
    await nav.getByRole("button", { name: "New notebook" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("Garden");
    await page.keyboard.press("Enter");
    const link = (name) => nav.getByRole("link", { name });
    await link(/^Garden/).waitFor();
    await eventually(() => page.locator("h1").first().innerText(), "Garden");
    await notebook("House");
    await page.reload();
    // The keyboard's way: F2 renames, m moves.
    await link(/^Garden/).focus();
    await page.keyboard.press("F2");
    await page.getByRole("textbox", { name: "Name" }).fill("Orchard");
    await page.keyboard.press("Enter");
    await toast("Renamed to “Orchard”").waitFor();
    await link(/^Orchard/).focus();
    await page.keyboard.press("m");
    await page.getByRole("combobox", { name: "Find a notebook" }).fill("hou");
    await page.keyboard.press("Enter");
    await toast("“Orchard” moved to House").waitFor();
    const { items } = await api.send("GET", "/api/notes/notebooks");
    const [house, orchard] = ["House", "Orchard"].map((name) =>
      items.find((item) => item.name === name),
    );
    assert.equal(orchard.parent, house.id);
    await link(/^House/).focus();
    await page.keyboard.press("Delete");
    await page.getByRole("dialog", { name: "Delete the notebook “House”?" }).waitFor();
    await page.getByRole("button", { name: "Delete notebook" }).click();
    await link(/^House/).waitFor({ state: "hidden" });
    assert.deepEqual(faults, []);
    await close();
  });

  it("reject a duplicate name at the field", async () => {
    await notebook("Taken");
    const { page, close } = await open();
    await page.getByRole("button", { name: "New notebook" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("Taken");
    await page.keyboard.press("Enter");
    await page.locator(".t-field-error").waitFor();
    await close();
  });

  it("receive a note by dialog and drag", async () => {
    const target = await notebook("Drawer");
    const moved = await makeNote(api, { title: "Movable", text: "x" });
    const { page, row, openNote, toast, undo, faults, close } = await open();
    await openNote("Movable");
    await row("Movable").focus();
    await page.locator(".notes-list [role=listbox]").focus();
    await page.keyboard.press("m");
    await page.getByRole("combobox", { name: "Find a notebook" }).fill("draw");
    await page.keyboard.press("Enter");
    await toast("Moved to Drawer").waitFor();
    await eventually(async () => (await note(moved.id)).notebook, target.id);
    await undo();
    await eventually(async () => (await note(moved.id)).notebook, null);
    // Dragging is loaded after the page is shown.
    await row("Movable").locator("[draggable=true]").waitFor();
    const drawer = page.getByRole("link", { name: /^Drawer/ });
    await page.locator("[data-drop-target-for-element]").filter({ has: drawer }).waitFor();
    await row("Movable").dragTo(drawer);
    await eventually(async () => (await note(moved.id)).notebook, target.id);
    assert.deepEqual(faults, []);
    await close();
  });
});

describe("trash", () => {
  it("receives a note by key, with Undo", async () => {
    const made = await makeNote(api, { title: "Old ticket", text: "x" });
    const { page, row, undo, faults, close } = await open();
    await row("Old ticket").click();
    await page.locator(".notes-list [role=listbox]").focus();
    await page.keyboard.press("Delete");
    await row("Old ticket").waitFor({ state: "hidden" });
    const deleted = async () => (await note(made.id)).deleted;
    await eventually(deleted, (time) => time !== null);
    await undo();
    await row("Old ticket").waitFor();
    await eventually(deleted, null);
    assert.deepEqual(faults, []);
    await close();
  });

  it("restores notes and deletes them permanently", async () => {
    const made = await makeNote(api, { title: "Last words", text: "of *a friend*" });
    await makeNote(api, { title: "Other words", text: "y" }).then(({ id }) =>
      api.send("DELETE", `/api/notes/notes/${id}`),
    );
    await api.send("DELETE", `/api/notes/notes/${made.id}`);
    const { page, row, close } = await open({ path: "/app/notes/trash" });
    await row("Last words").click();
    await page.locator(".notes-prose em").waitFor();
    await page.getByRole("button", { name: "Restore", exact: true }).click();
    await eventually(async () => (await note(made.id)).deleted, null);
    await api.send("DELETE", `/api/notes/notes/${made.id}`);
    await page.goto(`/app/notes/trash/${made.id}`);
    await page.getByRole("button", { name: "Delete permanently" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete “Last words” permanently?" });
    await dialog.getByRole("button", { name: "Delete permanently" }).click();
    await row("Last words").waitFor({ state: "hidden" });
    await assert.rejects(note(made.id), /404/);
    await page.getByRole("button", { name: "Empty trash" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Empty trash" }).click();
    await page.getByText("The trash is empty").waitFor();
    await close();
  });
});

describe("tags", () => {
  it("are added, removed, renamed and merged", async () => {
    const made = await makeNote(api, { title: "Tagged", text: "x", tags: ["wood"] });
    await makeNote(api, { title: "Planks", text: "y", tags: ["timber"] });
    const { page, openNote, faults, close } = await open();
    await openNote("Tagged");
    await page.getByRole("button", { name: "Tag", exact: true }).click();
    await page.getByRole("combobox", { name: "Add a tag" }).fill("tim");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.keyboard.type("brand new,");
    await page.keyboard.press("Escape");
    await eventually(
      async () => (await note(made.id)).tags.toSorted().join(),
      "brand new,timber,wood",
    );
    await page.getByRole("button", { name: "Remove the tag brand new" }).click();
    await eventually(async () => (await note(made.id)).tags.toSorted().join(), "timber,wood");
    const link = page.getByRole("link", { name: /^timber/ });
    await link.focus();
    await page.keyboard.press("F2");
    await page.getByRole("textbox", { name: "Name" }).fill("Wood");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Merge “timber” into “wood”" }).waitFor();
    await page.getByRole("button", { name: "Merge" }).click();
    await link.waitFor({ state: "hidden" });
    await eventually(async () => (await note(made.id)).tags.join(), "wood");
    assert.deepEqual(faults, []);
    await close();
  });
});

describe("note list", () => {
  it("keeps scroll position and sort order", async () => {
    const files = Array.from({ length: 100 }, (_, index) => index);
    for (let batch = 0; batch < 5; batch++) {
      await api.send("POST", "/api/notes/import", {
        import: `0192a000-0000-7000-8000-00000000000${batch}`,
        files: files.map((index) => ({
          path: `Many/${batch}/note ${index}.md`,
          text: `# Note ${batch * 100 + index}\n\nText`,
        })),
      });
    }
    const { page, list, faults, close } = await open({ path: "/app/notes?sort=title" });
    await list.getByRole("option").first().waitFor();
    const rendered = () => list.getByRole("option").count();
    assert.ok((await rendered()) < 40);
    // To the end, page by page.
    await list.focus();
    await eventually(
      async () => {
        await page.keyboard.press("End");
        return page.locator(".notes-list [role=option] .notes-row-title").last().innerText();
      },
      (title) => /^Tagged|^Note 99/.test(title),
    );
    assert.ok((await rendered()) < 40);
    const scroll = () => list.evaluate((element) => element.scrollTop);
    const before = await scroll();
    assert.ok(before > 10_000, `scrolled to ${before}`);
    await list.getByRole("option").last().click();
    await page.getByRole("article").waitFor();
    assert.ok(Math.abs((await scroll()) - before) < 700);
    await page.getByRole("button", { name: "Sort" }).click();
    await page.getByRole("menuitemradio", { name: "Last updated" }).click();
    await eventually(() => new URL(page.url()).search, "");
    assert.deepEqual(faults, []);
    await close();
  });

  it("shows pinned notes first", async () => {
    const made = await makeNote(api, { title: "Pin me", text: "x" });
    const { page, openNote, choose, list, close } = await open();
    await openNote("Pin me");
    await choose(/^Pin/);
    await eventually(async () => (await note(made.id)).pinned, true);
    await makeNote(api, { title: "Newer", text: "x" });
    await page.reload();
    await eventually(
      async () => (await list.getByRole("option").first().innerText()).split("\n")[0],
      "Pin me",
    );
    await close();
  });
});

describe("notes on a phone", () => {
  it("shows one pane and a link back", async () => {
    await makeNote(api, { title: "In a pocket", text: "x", pinned: true });
    const { page, row, list, faults, close } = await open({ phone: true });
    await row("In a pocket").tap();
    await page.getByRole("article", { name: "In a pocket" }).waitFor();
    assert.equal(await list.isVisible(), false);
    await page.getByRole("button", { name: "Back to the list" }).tap();
    await list.waitFor();
    await page.getByRole("button", { name: /choose notebooks/ }).tap();
    await page
      .getByRole("dialog", { name: "Notebooks and tags" })
      .getByRole("link", { name: /^Pinned/ })
      .tap();
    await eventually(() => new URL(page.url()).pathname, "/app/notes/pinned");
    assert.deepEqual(faults, []);
    await close();
  });
});
