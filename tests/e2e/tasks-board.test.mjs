import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { launch } from "./support/browser.mjs";
import { startPopulatedHost } from "./support/host.mjs";
import { eventually } from "./support/notes.mjs";
import { makeBoard, openTasks } from "./support/tasks.mjs";

/** @type {import("./support/host.mjs").Host} */
let host;
/** @type {import("./support/host.mjs").Api} */
let api;
/** @type {import("playwright-core").Browser} */
let browser;

before(async () => {
  ({ host, api } = await startPopulatedHost());
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await host?.stop();
});

const open = (options) => openTasks(browser, host.url, options);
const joined = (titles) => titles.join();

/** Titles of a column as the server has them. */
async function kept(column) {
  const filter = encodeURIComponent(`column = '${column.id}' and archived = null`);
  const { items } = await api.send("GET", `/api/tasks/cards?filter=${filter}&sort=position`);
  return joined(items.map(({ title }) => title));
}

describe("a board", () => {
  it("is made, filled and put in order, without a mouse", async () => {
    const { page, column, titles, link, undo, toast, faults, close } = await open();
    await page.getByText("No board yet").waitFor();
    await page.keyboard.press("n");
    await page.getByRole("textbox", { name: "Name" }).fill("Garden");
    await page.keyboard.press("Enter");
    await column("To do").waitFor();
    await page.keyboard.press("c");
    for (const title of ["Rake", "Dig", "Sow"]) {
      await page.keyboard.type(title);
      await page.keyboard.press("Enter");
    }
    await eventually(async () => joined(await titles("To do")), "Rake,Dig,Sow");
    await page.keyboard.press("Escape");
    // Arrows go from card to card; Space lifts, arrows move, Space puts down.
    await link("Sow").focus();
    await page.keyboard.press("ArrowUp");
    await eventually(() => page.evaluate(() => document.activeElement?.textContent), "Dig");
    await page.keyboard.press("Space");
    await page.getByText("To do, place 2 of 3").waitFor({ state: "attached" });
    await page.keyboard.press("ArrowUp");
    await page.getByText("To do, place 1 of 3", { exact: true }).waitFor({ state: "attached" });
    await page.keyboard.press("ArrowRight");
    await page.getByText("Doing, place 1 of 1", { exact: true }).waitFor({ state: "attached" });
    await page.keyboard.press("Space");
    await eventually(async () => joined(await titles("Doing")), "Dig");
    await toast("Moved to Doing").waitFor();
    await eventually(() => page.evaluate(() => document.activeElement?.textContent), "Dig");
    // Escape takes it back.
    await page.keyboard.press("Space");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Escape");
    await eventually(async () => joined(await titles("Doing")), "Dig");
    await undo();
    await eventually(async () => joined(await titles("To do")), "Rake,Dig,Sow");
    await page.reload();
    await eventually(async () => joined(await titles("To do")), "Rake,Dig,Sow");
    assert.deepEqual(faults, []);
    await close();
  });

  it("takes cards by mouse, each move being one change of one record", async () => {
    const { columns, cards, path } = await makeBoard(api, "Mouse", {
      "To do": ["One", "Two", "Three"],
      Doing: ["Four"],
      Done: [],
    });
    const { page, column, card, dragTo, titles, faults, close } = await open({ path });
    await card("One").waitFor();
    /** @type {string[]} */
    const changes = [];
    page.on("request", (request) => {
      if (request.method() === "PATCH") changes.push(new URL(request.url()).pathname);
    });
    await dragTo(card("Three"), card("One"), { above: true });
    await eventually(async () => joined(await titles("To do")), "Three,One,Two");
    await eventually(() => kept(columns["To do"]), "Three,One,Two");
    await dragTo(card("One"), card("Four"));
    await eventually(
      () => kept(columns.Doing),
      (text) => text.split(",").length === 2,
    );
    await dragTo(card("Two"), column("Done"));
    await eventually(() => kept(columns.Done), "Two");
    await eventually(() => kept(columns["To do"]), "Three");
    assert.deepEqual(
      changes,
      ["Three", "One", "Two"].map((name) => `/api/tasks/cards/${cards[name].id}`),
    );
    // A drag opens no card, a click does.
    assert.equal(new URL(page.url()).pathname, path);
    await card("Two").click();
    await page.getByRole("dialog", { name: "Two" }).waitFor();
    assert.equal(new URL(page.url()).pathname, `${path}/card/${cards.Two.id}`);
    assert.deepEqual(faults, []);
    await close();
  });

  it("takes cards by a finger that is held, while a swipe scrolls", async () => {
    const { columns, path } = await makeBoard(api, "Touch", {
      "To do": ["One", "Two"],
      Doing: ["Three"],
    });
    const { card, column, touchDragTo, faults, close } = await open({ path, phone: true });
    await card("One").waitFor();
    await touchDragTo(card("Two"), card("One"), { above: true });
    await eventually(() => kept(columns["To do"]), "Two,One");
    await touchDragTo(card("Two"), column("Doing"));
    await eventually(
      () => kept(columns.Doing),
      (text) => text.includes("Two"),
    );
    assert.deepEqual(faults, []);
    await close();
  });

  it("keeps columns: named, bounded, moved, deleted after a question", async () => {
    const { path } = await makeBoard(api, "Columns", { Now: ["A", "B"], Then: [] });
    const { page, column, faults, close } = await open({ path });
    await page.getByRole("button", { name: "Column", exact: true }).click();
    await page.getByRole("textbox", { name: "Name of the new column" }).fill("Last");
    await page.keyboard.press("Enter");
    await column("Last").waitFor();
    const choose = async (name, item) => {
      await page.getByRole("button", { name: `Column ${name}: more` }).click();
      await page.getByRole("menuitem", { name: item }).click();
    };
    await choose("Now", "Limit of cards");
    await page.getByRole("spinbutton", { name: "Cards at most" }).fill("1");
    await page.keyboard.press("Enter");
    await column("Now").getByText("2 / 1").waitFor();
    await choose("Then", "Rename");
    await page.getByRole("textbox", { name: "Name" }).fill("Later");
    await page.keyboard.press("Enter");
    await column("Later").waitFor();
    await choose("Last", "Move left");
    const heads = () => page.locator(".tasks-column h2").allInnerTexts();
    await eventually(async () => joined(await heads()), "Now,Last,Later");
    await choose("Now", "Delete");
    const asked = page.getByRole("dialog", { name: "Delete the column “Now” for good?" });
    await asked.getByText("Its 2 cards are deleted with it").waitFor();
    await asked.getByRole("button", { name: "Delete column" }).click();
    await eventually(async () => joined(await heads()), "Last,Later");
    assert.deepEqual(faults, []);
    await close();
  });

  it("is filtered, shown otherwise, and kept as a view under a name", async () => {
    const { board, cards, path } = await makeBoard(api, "Views", {
      Now: ["Paint the fence", "Mend the gate"],
      Done: ["Buy paint"],
    });
    const label = await api.send("POST", "/api/tasks/labels", {
      board: board.id,
      name: "Outside",
      color: "green",
    });
    const day = new Date().toISOString().slice(0, 8);
    await api.send("PATCH", `/api/tasks/cards/${cards["Mend the gate"].id}`, {
      labels: [label.id],
      description: "It squeaks.",
      due: `${day}15`,
    });
    const { page, card, faults, close } = await open({ path });
    await card("Paint the fence").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("paint");
    await page.getByText("2 cards", { exact: true }).waitFor();
    // What stands in a description the server finds.
    await page.getByRole("searchbox", { name: "Filter" }).fill("squeaks");
    await card("Mend the gate").waitFor();
    await card("Paint the fence").waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Clear the filter" }).click();
    await page.getByRole("button", { name: "Label", exact: true }).click();
    await page.getByRole("menuitemradio", { name: "Outside" }).click();
    await card("Paint the fence").waitFor({ state: "hidden" });
    await page.getByText("List", { exact: true }).click();
    await page.getByRole("table").getByRole("link", { name: "Mend the gate" }).waitFor();
    await page.getByRole("button", { name: "Views" }).click();
    await page.getByRole("menuitem", { name: "Save this view" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("Outdoors");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Outdoors" }).waitFor();
    await page.goto(path);
    await card("Paint the fence").waitFor();
    await page.getByRole("button", { name: "Views" }).click();
    await page.getByRole("menuitemradio", { name: "Outdoors" }).click();
    await page.getByRole("table").getByRole("link", { name: "Mend the gate" }).waitFor();
    assert.equal(await page.getByRole("table").getByRole("link").count(), 1);
    await page.getByText("Calendar", { exact: true }).click();
    await page.getByRole("cell").getByRole("link", { name: "Mend the gate" }).click();
    await page.getByRole("dialog", { name: "Mend the gate" }).getByText("It squeaks.").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    // The card's address gives the view back.
    assert.match(page.url(), /layout=calendar/);
    assert.deepEqual(faults, []);
    await close();
  });
});
