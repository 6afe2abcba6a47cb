import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { attacks } from "../../plugin-ui/notes/tests/attacks.ts";
import { axeViolations } from "./support/axe.mjs";
import { isFull } from "./support/browser.mjs";
import { makeNote, openNotes } from "./support/notes.mjs";
import { startSite } from "./support/site.mjs";

const rich = `---
tags: [oak, plan]
status: open
---
# Staircase

Some **bold**, *slanted* and ~~struck~~ text with \`code\`, a [link](https://example.org) and [[Nowhere yet]].

## Steps

1. Measure
2. Cut
   - [ ] treads
   - [x] risers

> Measure twice.

| what | size |
| --- | ---: |
| treads | 42 |

\`\`\`js
const treads = 15;
\`\`\`

---

![plan](https://example.org/plan.png)
`;

const { host, api, browser } = await startSite();

const open = (options) => openNotes(browser, host.url, options);

describe("script in a note", () => {
  it("never runs, loads or connects in any view", async () => {
    const attack = attacks.join("\n\n");
    await makeNote(api, {
      title: `<img src=x onerror=attack()>`,
      text: attack,
      tags: ["<b>tag</b>"],
    });
    await makeNote(api, {
      title: "Link to it",
      text: `[[<img src=x onerror=attack()>]] ${attacks[0]}`,
    });
    const { context, page, row, text, faults, close } = await open();
    /** @type {string[]} */
    const reached = [];
    await context.exposeBinding("attack", () => void reached.push("attack ran"));
    page.on("request", (request) => {
      if (!request.url().startsWith(host.url) && !request.url().startsWith("data:"))
        reached.push(request.url());
    });
    page.on("dialog", (dialog) => void reached.push(dialog.message()));
    await page.reload();
    await row("onerror").click();
    await text.waitFor();
    await page.keyboard.press("Control+Shift+E");
    await page.locator(".notes-prose p").first().waitFor();
    await page.getByRole("button", { name: "Read", exact: true }).click();
    await page.locator(".notes-prose p").first().waitFor();
    await page
      .locator(".notes-prose a:not([href^=http])")
      .evaluateAll((links) => links.forEach((link) => link.click()));
    await page.goto("/app/notes");
    await page.getByRole("searchbox", { name: "Search notes" }).fill("onerror");
    await page.locator(".notes-row mark").first().waitFor();
    await page.getByRole("button", { name: "Clear the search" }).click();
    await row("Link to it").click();
    await page.getByRole("article", { name: "Link to it" }).waitFor();
    await page.getByRole("button", { name: "Outline, links, history" }).click();
    await page.getByRole("tab", { name: "Links" }).click();
    await page.getByRole("tab", { name: "History" }).click();
    await page.locator(".notes-history a").first().waitFor();
    // An image or a script would have run once all images are complete and a later request has its response.
    await page.waitForFunction(() => [...document.images].every(({ complete }) => complete));
    await page.evaluate(() => fetch("/api/core/session"));
    assert.deepEqual(reached, []);
    assert.deepEqual(faults, []);
    assert.equal(
      await page
        .locator(".notes-prose :is(script, iframe, style, form, object, embed, svg)")
        .count(),
      0,
    );
    await page.getByRole("button", { name: "Write", exact: true }).click();
    await close();
  });
});

describe("loading", () => {
  it("loads list, editor and panels on demand", async () => {
    await makeNote(api, { title: "Small", text: "text" });
    const { page, openNote, close } = await open({ path: "/app/notes/trash" });
    const sizes = new Map();
    page.on("response", async (response) => {
      const file = /\/ui\/plugins\/notes\/([\w-]+)\.[\w]+\.js$/.exec(response.url())?.[1];
      if (file) sizes.set(file, Number(response.headers()["content-length"] ?? 0));
    });
    await page.goto("/app/notes/recent", { waitUntil: "domcontentloaded" });
    await page.locator(".notes-list [role=option]").first().waitFor();
    // The others follow when the list is shown.
    const first = [...sizes.keys()].filter((name) => !/saving|types|drag|files/.test(name));
    assert.deepEqual(first.sort(), ["entry", "main"]);
    const entry = sizes.get("entry") + sizes.get("main");
    assert.ok(entry > 0 && entry < 16_000, `${entry} bytes on the wire`);
    await openNote("Small");
    assert.ok(sizes.has("note-pane"));
    assert.ok(!sizes.has("preview") && !sizes.has("conflict-view"));
    assert.ok(sizes.get("note-pane") < 200_000);
    await close();
  });
});

for (const dark of [false, true]) {
  describe(`accessibility in ${dark ? "dark" : "light"}`, () => {
    const clean = async (page, where) => assert.deepEqual(await axeViolations(page), [], where);

    it("passes on a desktop with panels and dialogs", async () => {
      await makeNote(api, { title: "Staircase", text: rich });
      const { page, openNote, faults, close } = await open({ dark });
      await clean(page, "list");
      await openNote("Staircase");
      await clean(page, "writing");
      for (const mode of ["Text and preview", "Read"]) {
        await page.getByRole("button", { name: mode, exact: true }).click();
        await page.locator(".notes-prose p").first().waitFor();
        await clean(page, mode);
      }
      await page.getByRole("button", { name: "Write", exact: true }).click();
      await page.getByRole("button", { name: "Outline, links, history" }).click();
      for (const tab of ["Outline", "Links", "History"]) {
        await page.getByRole("tab", { name: tab }).click();
        await page.getByRole("tabpanel", { name: tab }).waitFor();
        await page.locator(".notes-panel .t-skeleton").first().waitFor({ state: "detached" });
        await clean(page, tab);
      }
      await page.keyboard.press("Escape");
      await page.locator(".notes-list [role=listbox]").focus();
      await page.keyboard.press("m");
      await page.getByRole("combobox", { name: "Find a notebook" }).waitFor();
      await clean(page, "move");
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "hidden" });
      await page.goto("/app/notes/trash");
      await page.getByText("The trash is empty").waitFor();
      await clean(page, "empty trash");
      await page.goto("/app/notes/all/0192a000-0000-7000-8000-000000000009");
      await page.getByRole("heading", { name: "Note not found" }).waitFor();
      await clean(page, "no such note");
      assert.deepEqual(faults, []);
      await close();
    });

    if (!dark || isFull) {
      it("passes on a phone with the drawer", async () => {
        await makeNote(api, { title: "Landing", text: rich });
        const { page, row, faults, close } = await open({ dark, phone: true });
        await row("Landing").waitFor();
        await clean(page, "list");
        await page.getByRole("button", { name: /choose notebooks/ }).tap();
        await page.getByRole("dialog", { name: "Notebooks and tags" }).waitFor();
        await clean(page, "drawer");
        await page.keyboard.press("Escape");
        await row("Landing").tap();
        await page.getByRole("article", { name: "Landing" }).waitFor();
        await page.locator(".cm-content").waitFor();
        await clean(page, "note");
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= 390, `${wide} pixels wide`);
        assert.deepEqual(faults, []);
        await close();
      });
    }
  });
}
