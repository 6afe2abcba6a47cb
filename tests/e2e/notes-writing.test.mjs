import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeNote, openNotes } from "./support/notes.mjs";
import { startSite } from "./support/site.mjs";
import { eventually } from "./support/wait.mjs";

const { host, api, browser } = await startSite();

const open = (options) => openNotes(browser, host.url, options);
const textOf = async (id) => (await api.send("GET", `/api/notes/notes/${id}`)).text;
const idIn = (page) => /[0-9a-f-]{36}$/.exec(new URL(page.url()).pathname)?.[0] ?? "";

describe("first note", () => {
  it("is created, saved and kept after reload", async () => {
    const { page, title, text, saved, row, faults, close } = await open();
    const fetched = [];
    page.on("request", (request) => fetched.push(new URL(request.url()).pathname));
    await page.getByRole("heading", { name: "Write your first note" }).waitFor();
    await page.getByRole("button", { name: "New note" }).last().press("Enter");
    await title.waitFor();
    await page.keyboard.type("Shopping");
    await page.keyboard.press("Enter");
    await page.keyboard.type("Milk and **bread**");
    await saved();
    const id = idIn(page);
    assert.equal(await textOf(id), "Milk and **bread**");
    assert.equal(new URL(page.url()).search, "");
    await row("Shopping").waitFor();
    await page.reload();
    await title.waitFor();
    assert.equal(await title.inputValue(), "Shopping");
    assert.equal(await text.innerText(), "Milk and bread");
    assert.deepEqual(faults, []);
    await close();
  });

  it("is not created before text is written", async () => {
    await makeNote(api, { title: "Already there", text: "x" });
    const { page, list, title, close } = await open();
    const { items } = await api.send("GET", "/api/notes/notes");
    await list.press("n");
    await title.waitFor();
    await page.getByRole("link", { name: /^All notes/ }).click();
    await title.waitFor({ state: "hidden" });
    const now = await api.send("GET", "/api/notes/notes");
    assert.equal(now.items.length, items.length);
    await close();
  });
});

describe("note text", () => {
  it("checks tasks while writing and reading", async () => {
    const { id } = await makeNote(api, { title: "Tasks", text: "- [ ] one\n- [ ] two\n" });
    const { page, openNote, faults, close } = await open();
    await openNote("Tasks");
    await page.getByRole("checkbox", { name: "one" }).click();
    await eventually(() => textOf(id), "- [x] one\n- [ ] two\n");
    await page.getByRole("button", { name: "Read", exact: true }).click();
    await page.locator(".notes-prose").getByRole("checkbox", { name: "two" }).click();
    await eventually(() => textOf(id), "- [x] one\n- [x] two\n");
    assert.deepEqual(faults, []);
    await close();
  });

  it("wraps table cells and scrolls wide tables", async () => {
    const head = ["Responsibility", "Deliverable", "Environment", "Dependencies", "Observability"];
    const row = (cells) => `| ${cells.join(" | ")} |`;
    const text = `${row(head)}\n${row(head.map(() => "---"))}\n${row(head.map((word) => `${word} of \`${word}\` again`))}\n`;
    await makeNote(api, { title: "Wide table", text: `Before\n\n${text}\nAfter\n` });
    const { page, row: listRow, choose, faults, close } = await open({ phone: true });
    await listRow("Wide table").click();
    /** Words on more than one line, and whether the table and the page around it scroll sideways. */
    const look = (parent) =>
      page.locator(`${parent} .md-table`).evaluate((element) => {
        const broken = [];
        const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
        while (texts.nextNode()) {
          for (const { index, 0: word } of (texts.currentNode.textContent ?? "").matchAll(/\S+/g)) {
            const range = document.createRange();
            range.setStart(texts.currentNode, index);
            range.setEnd(texts.currentNode, index + word.length);
            if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1)
              broken.push(word);
          }
        }
        const scrolls = (/** @type {Element | null | undefined} */ box) =>
          box ? box.scrollWidth > box.clientWidth : false;
        const frame = element.querySelector("table")?.parentElement;
        return { broken, table: scrolls(frame), page: scrolls(element.closest(".notes-scroll")) };
      });
    const expected = { broken: [], table: true, page: false };
    await page.locator(".notes-editor .md-table td").first().waitFor();
    assert.deepEqual(await look(".notes-editor"), expected);
    await choose("Read");
    await page.locator(".notes-prose .md-table td").first().waitFor();
    assert.deepEqual(await look(".notes-prose"), expected);
    await choose("Write");
    assert.deepEqual(faults, []);
    await close();
  });

  it("keeps imported line endings", async () => {
    const { id } = await makeNote(api, { title: "Windows", text: "one\r\ntwo\r\n" });
    const { openNote, write, saved, close } = await open();
    await openNote("Windows");
    await write("three");
    await saved();
    await eventually(() => textOf(id), "one\r\ntwo\r\nthree");
    await close();
  });

  it("keeps its position when the view changes", async () => {
    const lines = Array.from(
      { length: 120 },
      (_, index) => `## Part ${index}\n\nText of part ${index}.\n`,
    );
    await makeNote(api, { title: "Long", text: lines.join("\n") });
    const { page, openNote, close } = await open();
    await openNote("Long");
    const scroller = page.locator(".notes-scroll").first();
    await scroller.evaluate((element) => (element.scrollTop = element.scrollHeight / 2));
    const atTop = () =>
      page.evaluate(() => {
        const box = document.querySelector(".notes-scroll")?.getBoundingClientRect();
        for (let y = (box?.top ?? 0) + 8; y < (box?.bottom ?? 0); y += 8) {
          const found = document.elementFromPoint(
            (box?.left ?? 0) + (box?.width ?? 0) / 2 - 150,
            y,
          );
          const part = /[Pp]art (\d+)/.exec(found?.closest(".cm-line, h2, p")?.textContent ?? "");
          if (part) return Number(part[1]);
        }
        return -1;
      });
    // The editor measures its lines once more where it was scrolled to.
    let last = -1;
    const before = await eventually(atTop, (part) => {
      const isStill = part === last;
      last = part;
      return isStill && part > 20;
    });
    await page.getByRole("button", { name: "Read", exact: true }).click();
    await page.locator(".notes-prose h2").first().waitFor();
    await eventually(atTop, (part) => Math.abs(part - before) <= 2);
    await page.getByRole("button", { name: "Write", exact: true }).click();
    await eventually(atTop, (part) => Math.abs(part - before) <= 3);
    await close();
  });

  it("scrolls together with its preview", async () => {
    await makeNote(api, { title: "Next door", text: "first" });
    const { page, openNote, write, close } = await open();
    await openNote("Next door");
    await page.keyboard.press("Control+Shift+E");
    const preview = page.getByRole("region", { name: "Preview" });
    await preview.getByText("first").waitFor();
    await write("\n\n| a | b |\n|---|---|\n| 1 | 2 |\n");
    await preview.getByRole("table").waitFor();
    await page.getByRole("button", { name: "Write", exact: true }).click();
    await close();
  });
});

describe("note links", () => {
  it("are suggested, followed and listed as backlinks", async () => {
    const from = await makeNote(api, { title: "From here", text: "" });
    await makeNote(api, { title: "Destination", text: "Arrived." });
    const { page, openNote, write, saved, panel, faults, close } = await open();
    await openNote("From here");
    await page.clock.install();
    await write("Go to ");
    // At once: a list for each letter would open again while it is used.
    await page.keyboard.insertText("[[Dest");
    const option = page.locator(".cm-tooltip-autocomplete li", { hasText: "Destination" });
    await option.and(page.locator("[aria-selected]")).waitFor();
    // The editor takes no choice within 75 ms of a list that has just opened.
    await page.clock.fastForward(100);
    await page.keyboard.press("Enter");
    await page.keyboard.type(" now");
    await saved();
    await eventually(() => textOf(from.id), "Go to [[Destination]] now");
    await page.keyboard.press("Escape");
    await page.locator(".md-follow", { hasText: "Destination" }).click();
    await page.getByRole("article", { name: "Destination" }).waitFor();
    await panel("Links");
    await page
      .getByRole("complementary")
      .getByRole("link", { name: /From here/ })
      .click();
    await page.getByRole("article", { name: "From here" }).waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  it("offer to create a missing note", async () => {
    await makeNote(api, { title: "Ideas", text: "See [[A brand new idea]]." });
    const { page, openNote, toast, title, close } = await open();
    await openNote("Ideas");
    await page.locator(".md-follow", { hasText: "A brand new idea" }).click();
    await toast("There is no note named “A brand new idea” yet").waitFor();
    await page.getByRole("button", { name: "Create note" }).click();
    await eventually(() => title.inputValue(), "A brand new idea");
    await eventually(
      async () => (await api.send("GET", "/api/notes/suggest?q=A%20brand")).items.length,
      1,
    );
    await close();
  });

  it("follow a renamed note", async () => {
    const linking = await makeNote(api, { title: "Linking", text: "To [[Old name]]." });
    const named = await makeNote(api, { title: "Old name", text: "# Old name\n\nText\n" });
    const { page, openNote, title, saved, close } = await open();
    await openNote("Old name");
    await title.fill("New name");
    await page.keyboard.press("Enter");
    await eventually(() => textOf(linking.id), "To [[New name]].");
    await saved();
    // The heading that said the same says the new one.
    await eventually(() => textOf(named.id), "# New name\n\nText\n");
    await close();
  });
});

describe("search", () => {
  it("marks matches and works by keyboard", async () => {
    await makeNote(api, { title: "Varnish", text: "Two coats of *zebrawood* varnish." });
    const { page, list, faults, close } = await open();
    await page.keyboard.press("/");
    await page.keyboard.type("zebra");
    await page.locator(".notes-row mark", { hasText: /zebra/i }).waitFor();
    await page.waitForURL(/q=zebra/);
    await page.keyboard.press("ArrowDown");
    await list.and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("article", { name: "Varnish" }).waitFor();
    await page.reload();
    await page.locator(".notes-row mark").first().waitFor();
    await page.getByRole("searchbox", { name: "Search notes" }).fill("nothing like this");
    await page.getByText("No results for “nothing like this”").waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  it("provides palette results", async () => {
    await makeNote(api, { title: "Lacquer", text: "Over *ebonywood*." });
    const { page, close } = await open({ path: "/app/notes" });
    await page.keyboard.press("Control+K");
    const palette = page.getByRole("dialog", { name: "Search and commands" });
    await palette.getByRole("combobox").fill("ebonywood");
    await palette.getByRole("option", { name: /Lacquer/ }).click();
    await page.getByRole("article", { name: "Lacquer" }).waitFor();
    await close();
  });
});
