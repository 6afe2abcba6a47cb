import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { axeViolations } from "./support/axe.mjs";
import { isFull } from "./support/browser.mjs";
import { startSite } from "./support/site.mjs";
import { makeBoard, openTasks } from "./support/tasks.mjs";

const { host, api, browser } = await startSite();
const { board, cards, path } = await makeBoard(api, "Launch", {
  "To do": ["Write the page", "Choose photos"],
  Doing: ["Contact form"],
  Done: [],
});
const cardPath = `${path}/card/${cards["Contact form"].id}`;
const me = (await api.send("GET", "/api/core/session")).user.id;
const colors = ["gray", "red", "orange", "yellow", "green", "teal", "blue", "purple", "pink"];
const labels = [];
for (const color of colors)
  labels.push(await api.send("POST", "/api/tasks/labels", { board: board.id, name: color, color }));
const day = (shift) => new Date(Date.now() + shift * 86_400_000).toISOString().slice(0, 10);
await api.send("PATCH", `/api/tasks/cards/${cards["Contact form"].id}`, {
  labels: labels.map(({ id }) => id),
  assignees: [me],
  due: day(-3),
  description: "Some **bold** `code` and a [link](https://example.org).\n\n> quoted",
});
await api.send("PATCH", `/api/tasks/cards/${cards["Choose photos"].id}`, {
  due: day(0),
  repeat: "weekly",
  repeats: day(7),
});
const where = { board: board.id, card: cards["Contact form"].id };
await api.send("POST", "/api/tasks/checklist_items", {
  ...where,
  title: "Reproduce",
  position: "a0",
  done: true,
});
await api.send("POST", "/api/tasks/comments", { ...where, text: "Seen on phones." });

const open = (options) => openTasks(browser, host.url, options);

describe("loading", () => {
  it("loads boards without the code of cards", async () => {
    const { page, close } = await open();
    const sizes = new Map();
    page.on("response", (response) => {
      const file = /\/ui\/plugins\/tasks\/([\w-]+)\.[\w]+\.js$/.exec(response.url())?.[1];
      if (file) sizes.set(file, Number(response.headers()["content-length"] ?? 0));
    });
    await page.reload();
    await page.getByRole("link", { name: /^Launch/ }).waitFor();
    const total = () => [...sizes.values()].reduce((sum, size) => sum + size, 0);
    assert.ok(total() > 0 && total() < 10_000, `${total()} bytes on the wire`);
    await page.goto(path);
    await page.locator("[data-card]").first().waitFor();
    assert.ok(sizes.has("board-page") && !sizes.has("card-dialog") && !sizes.has("send-file"));
    assert.ok(total() < 40_000, `${total()} bytes on the wire`);
    await close();
  });
});

for (const dark of [false, true]) {
  describe(`accessibility in ${dark ? "dark" : "light"}`, () => {
    const clean = async (page, where) => assert.deepEqual(await axeViolations(page), [], where);

    it("passes on a desktop in every view", async () => {
      const { page, card, dialog, faults, close } = await open({ dark });
      await page.getByRole("link", { name: /^Launch/ }).waitFor();
      await clean(page, "boards");
      await page.goto(path);
      await card("Contact form").waitFor();
      await card("Contact form").getByText("1/1").waitFor();
      await clean(page, "board");
      await page.goto(`${path}?layout=list`);
      await page.getByRole("table").waitFor();
      await clean(page, "list");
      await page.goto(`${path}?layout=calendar`);
      await page.getByRole("button", { name: "Today" }).waitFor();
      await clean(page, "calendar");
      await page.goto(`${path}?label=none`);
      await page.getByText("0 cards").waitFor();
      await clean(page, "nothing fits");
      await page.goto(cardPath);
      await dialog("Contact form").getByText("Seen on phones.").waitFor();
      await clean(page, "card");
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "hidden" });
      for (const name of ["Share", "Labels", "Archived cards", "Import cards from CSV"]) {
        await page.getByRole("button", { name: "More", exact: true }).click();
        await page.getByRole("menuitem", { name, exact: true }).click();
        await page.getByRole("dialog").getByRole("heading", { level: 2 }).first().waitFor();
        await clean(page, name);
        await page.keyboard.press("Escape");
        await page.getByRole("dialog").waitFor({ state: "hidden" });
      }
      await page.goto("/app/tasks/0192a000-0000-7000-8000-000000000009");
      await page.getByText("Board not found").waitFor();
      await clean(page, "no such board");
      assert.deepEqual(faults, []);
      await close();
    });

    if (!dark || isFull) {
      it("passes on a phone", async () => {
        const { page, card, dialog, faults, close } = await open({ dark, phone: true, path });
        await card("Contact form").waitFor();
        await clean(page, "board");
        const wide = () => page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok((await wide()) <= 390, `${await wide()} pixels wide`);
        await page.goto(`${path}?layout=calendar`);
        await page.getByRole("button", { name: "Today" }).waitFor();
        await clean(page, "calendar");
        await page.goto(cardPath);
        await dialog("Contact form").getByText("Seen on phones.").waitFor();
        await clean(page, "card");
        assert.ok((await wide()) <= 390, `${await wide()} pixels wide`);
        assert.deepEqual(faults, []);
        await close();
      });
    }
  });
}
