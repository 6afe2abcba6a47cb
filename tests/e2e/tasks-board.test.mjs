import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startSite } from "./support/site.mjs";
import { makeBoard, openTasks } from "./support/tasks.mjs";
import { eventually } from "./support/wait.mjs";

const { host, api, browser } = await startSite();

const open = (options) => openTasks(browser, host.url, options);
const joined = (titles) => titles.join();

/** Titles of a column as the server has them. */
async function kept(column) {
  const filter = encodeURIComponent(`column = '${column.id}' and archived = null`);
  const { items } = await api.send("GET", `/api/tasks/cards?filter=${filter}&sort=position`);
  return joined(items.map(({ title }) => title));
}

describe("board", () => {
  it("is created, filled and sorted by keyboard", async () => {
    const { page, column, titles, link, undo, toast, faults, close } = await open();
    await page.getByText("No boards yet").waitFor();
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
    await page.getByText("To do, position 2 of 3").waitFor({ state: "attached" });
    await page.keyboard.press("ArrowUp");
    await page.getByText("To do, position 1 of 3", { exact: true }).waitFor({ state: "attached" });
    await page.keyboard.press("ArrowRight");
    await page.getByText("Doing, position 1 of 1", { exact: true }).waitFor({ state: "attached" });
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

  it("moves cards by mouse, one change each", async () => {
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
    // The browser reports a request after the response of the server.
    await eventually(
      () => changes.length,
      (count) => count >= 3,
    );
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

  it("moves cards by long press, scrolls on swipe", async () => {
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

  it("renames, limits, moves and deletes columns", async () => {
    const { path } = await makeBoard(api, "Columns", { Now: ["A", "B"], Then: [] });
    const { page, column, faults, close } = await open({ path });
    await page.getByRole("button", { name: "Column", exact: true }).click();
    await page.getByRole("textbox", { name: "New column name" }).fill("Last");
    await page.keyboard.press("Enter");
    await column("Last").waitFor();
    const choose = async (name, item) => {
      await page.getByRole("button", { name: `Column ${name}: more` }).click();
      const menu = page.getByRole("menu", { name: `Column ${name}` });
      await menu.getByRole("menuitem", { name: item }).click();
    };
    await choose("Now", "WIP limit");
    await page.getByRole("spinbutton", { name: "Maximum number of cards" }).fill("1");
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
    const asked = page.getByRole("dialog", { name: "Delete the column “Now” permanently?" });
    await asked.getByText("This also deletes its 2 cards").waitFor();
    await asked.getByRole("button", { name: "Delete column" }).click();
    await eventually(async () => joined(await heads()), "Last,Later");
    assert.deepEqual(faults, []);
    await close();
  });

  it("scrolls a column while a card is dragged", async () => {
    const names = Array.from({ length: 40 }, (_, index) => `Card ${index}`);
    const { columns, path } = await makeBoard(api, "Long", { "To do": names, Doing: [] });
    const { page, card, faults, close } = await open({ path });
    await card("Card 0").waitFor();
    const list = page.locator(`[data-cards="${columns["To do"].id}"]`);
    const begin = await card("Card 0").boundingBox();
    const { height } = page.viewportSize() ?? { height: 0 };
    await page.mouse.move(begin.x + 20, begin.y + 10);
    await page.mouse.down();
    await page.mouse.move(begin.x + 20, begin.y + 30);
    await page.mouse.move(begin.x + 20, height - 60, { steps: 8 });
    await eventually(
      () => list.evaluate((element) => element.scrollTop),
      (top) => top > 500,
    );
    // The card is dropped where it is shown.
    await page.mouse.up();
    await eventually(
      async () => (await kept(columns["To do"])).split(",").indexOf("Card 0"),
      (index) => index > 10,
    );
    assert.deepEqual(faults, []);
    await close();
  });

  it("moves columns by mouse, touch and keyboard", async () => {
    const { board, path } = await makeBoard(api, "Order", { One: ["A"], Two: [], Three: [] });
    const order = async () => {
      const filter = encodeURIComponent(`board = '${board.id}'`);
      const { items } = await api.send("GET", `/api/tasks/columns?filter=${filter}&sort=position`);
      return joined(items.map(({ title }) => title));
    };
    const handle = (page, name) => page.getByRole("button", { name, exact: true });
    const { page, card, link, column, columnOrder, dragTo, undo, toast, faults, close } =
      await open({ path });
    await card("A").waitFor();
    await dragTo(handle(page, "One"), column("Two"), { right: true });
    await eventually(order, "Two,One,Three");
    await toast("Column One moved").waitFor();
    // A drag renames nothing, a click does.
    assert.equal(await page.getByRole("dialog").count(), 0);
    await undo();
    await eventually(order, "One,Two,Three");
    // What was said of a card does not silence what is said of columns.
    await link("A").focus();
    await page.keyboard.press("Space");
    await page.keyboard.press("Escape");
    await page.getByText("A moved back").waitFor({ state: "attached" });
    // The card may take the focus once more. The ring's width is animated for a frame; then none of it may be cut off.
    await eventually(
      async () => {
        await handle(page, "Three").focus();
        return handle(page, "Three").evaluate((element) => {
          if (!element.matches(":focus-visible")) return null;
          const { outlineWidth, outlineOffset } = getComputedStyle(element);
          return parseFloat(outlineWidth) + parseFloat(outlineOffset);
        });
      },
      (ring) => ring !== null && ring <= 0,
    );
    await page.keyboard.press("Space");
    await page.getByText("Position 3 of 3. Use the arrow keys").waitFor({ state: "attached" });
    await page.keyboard.press("ArrowLeft");
    await page.getByText("Position 2 of 3", { exact: true }).waitFor({ state: "attached" });
    await page.keyboard.press("Home");
    await page.keyboard.press("Escape");
    assert.equal(joined(await columnOrder()), "One,Two,Three");
    await page.keyboard.press("Space");
    await page.keyboard.press("Home");
    await eventually(async () => joined(await columnOrder()), "Three,One,Two");
    await page.keyboard.press("Space");
    await eventually(order, "Three,One,Two");
    await eventually(() => page.evaluate(() => document.activeElement?.textContent), "Three");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Rename “Three”" }).waitFor();
    assert.deepEqual(faults, []);
    await close();

    const phone = await open({ path, phone: true });
    await phone.card("A").waitFor();
    await phone.touchDragTo(handle(phone.page, "One"), phone.column("Three"), {
      held: '.tasks-column[data-held="pointer"]',
    });
    await eventually(order, "One,Three,Two");
    assert.deepEqual(phone.faults, []);
    await phone.close();
  });

  it("drops a column at the pointer after scrolling", async () => {
    const names = ["One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight"];
    const { path } = await makeBoard(
      api,
      "Wide",
      Object.fromEntries(names.map((name) => [name, []])),
    );
    const { page, column, columnOrder, faults, close } = await open({ path });
    await column("Eight").waitFor({ state: "attached" });
    const begin = await page.getByRole("button", { name: "One", exact: true }).boundingBox();
    const { width } = page.viewportSize() ?? { width: 0 };
    await page.mouse.move(begin.x + 10, begin.y + 10);
    await page.mouse.down();
    await page.mouse.move(begin.x + 30, begin.y + 10);
    await page.mouse.move(width - 8, 300, { steps: 8 });
    // What is held at the edge scrolls the board.
    await eventually(
      () =>
        page
          .locator(".tasks-columns")
          .evaluate(
            ({ scrollWidth, clientWidth, scrollLeft }) => scrollWidth - clientWidth - scrollLeft,
          ),
      (rest) => rest < 1,
    );
    // Far from both edges, where the board would scroll on.
    const seven = await column("Seven").boundingBox();
    await page.mouse.move(seven.x + seven.width - 20, 300, { steps: 8 });
    await page.mouse.up();
    await eventually(
      async () => joined(await columnOrder()),
      "Two,Three,Four,Five,Six,Seven,One,Eight",
    );
    assert.deepEqual(faults, []);
    await close();
  });

  it("ignores drags that start in a column menu", async () => {
    const { path } = await makeBoard(api, "Menu", { One: ["A"], Two: [] });
    const { page, card, columnOrder, faults, close } = await open({ path });
    await card("A").waitFor();
    await page.getByRole("button", { name: "Column One: more" }).click();
    const item = await page.getByRole("menuitem", { name: "Rename" }).boundingBox();
    const { width } = page.viewportSize() ?? { width: 0 };
    await page.mouse.move(item.x + 20, item.y + item.height / 2);
    await page.mouse.down();
    await page.mouse.move(width - 40, item.y + item.height / 2, { steps: 8 });
    assert.equal(await page.locator("[data-held]").count(), 0);
    await page.mouse.up();
    assert.equal(joined(await columnOrder()), "One,Two");
    assert.deepEqual(faults, []);
    await close();
  });

  it("shows cards that mention me", async () => {
    const { board, cards, path } = await makeBoard(api, "Named", { Now: ["Roof", "Wall"] });
    const me = (await api.send("GET", "/api/core/session")).user.id;
    const where = { board: board.id, card: cards.Roof.id };
    await api.send("POST", "/api/tasks/comments", {
      ...where,
      text: "@Ada Lovelace is it tight?",
      mentions: [me],
    });
    const { page, card, faults, close } = await open({ path });
    await card("Wall").waitFor();
    await page.getByRole("button", { name: "Views" }).click();
    await page.getByRole("menuitemradio", { name: "Mentions me" }).click();
    await card("Wall").waitFor({ state: "hidden" });
    await page.getByText("1 card", { exact: true }).waitFor();
    await page.reload();
    await card("Roof").waitFor();
    assert.equal(await card("Wall").count(), 0);
    // A comment that comes meanwhile is seen without a reload.
    await api.send("POST", "/api/tasks/comments", {
      board: board.id,
      card: cards.Wall.id,
      text: "@Ada Lovelace and this?",
      mentions: [me],
    });
    await card("Wall").waitFor();
    await page.goto("/app/tasks");
    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("menuitem", { name: "Mentions" }).click();
    await page.getByText("@Ada Lovelace is it tight?").waitFor();
    await page.getByRole("link", { name: "Roof" }).click();
    await page.getByRole("dialog", { name: "Roof" }).waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  it("undoes a change after a dialog opened", async () => {
    const { path } = await makeBoard(api, "Over", { Now: ["Old"] });
    const { page, card, link, menu, toast, undo, faults, close } = await open({ path });
    await link("Old").focus();
    await page.keyboard.press("Delete");
    await toast("“Old” archived").waitFor();
    await menu("Labels");
    const dialog = page.getByRole("dialog", { name: "Labels" });
    await dialog.waitFor();
    await undo();
    await dialog.waitFor();
    await page.keyboard.press("Escape");
    await card("Old").waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  it("offers columns when it has none", async () => {
    const { path } = await makeBoard(api, "Bare", {});
    const { page, column, columnOrder, faults, close } = await open({ path });
    await page.getByText("No columns yet").waitFor();
    await page.getByRole("button", { name: "To do, Doing, Done" }).click();
    await column("Done").waitFor();
    assert.equal(joined(await columnOrder()), "To do,Doing,Done");
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    await eventually(focused, "To do");
    // One column after the other, without a mouse.
    const other = await makeBoard(api, "Bare too", {});
    await page.goto(other.path);
    await page.getByRole("button", { name: "Column", exact: true }).press("Enter");
    for (const name of ["First", "Second"]) {
      await page.keyboard.type(name);
      await page.keyboard.press("Enter");
      await column(name).waitFor();
    }
    assert.equal(joined(await columnOrder()), "First,Second");
    assert.deepEqual(faults, []);
    await close();
  });

  it("is filtered and saved as a view", async () => {
    const { board, cards, path } = await makeBoard(api, "Views", {
      Now: ["Paint the fence", "Fix the gate"],
      Done: ["Buy paint"],
    });
    const label = await api.send("POST", "/api/tasks/labels", {
      board: board.id,
      name: "Outside",
      color: "green",
    });
    const day = new Date().toISOString().slice(0, 8);
    await api.send("PATCH", `/api/tasks/cards/${cards["Fix the gate"].id}`, {
      labels: [label.id],
      description: "It squeaks.",
      due: `${day}15`,
    });
    const { page, card, faults, close } = await open({ path });
    await card("Paint the fence").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("paint");
    await page.getByText("2 cards", { exact: true }).waitFor();
    // The server searches descriptions, too.
    await page.getByRole("searchbox", { name: "Filter" }).fill("squeaks");
    await card("Fix the gate").waitFor();
    await card("Paint the fence").waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.getByRole("button", { name: "Label", exact: true }).click();
    await page.getByRole("menuitemradio", { name: "Outside" }).click();
    await card("Paint the fence").waitFor({ state: "hidden" });
    await page.getByText("List", { exact: true }).click();
    await page.getByRole("table").getByRole("link", { name: "Fix the gate" }).waitFor();
    await page.getByRole("button", { name: "Views" }).click();
    await page.getByRole("menuitem", { name: "Save view" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("Outdoors");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Outdoors" }).waitFor();
    await page.goto(path);
    await card("Paint the fence").waitFor();
    await page.getByRole("button", { name: "Views" }).click();
    await page.getByRole("menuitemradio", { name: "Outdoors" }).click();
    await page.getByRole("table").getByRole("link", { name: "Fix the gate" }).waitFor();
    assert.equal(await page.getByRole("table").getByRole("link").count(), 1);
    await page.getByText("Calendar", { exact: true }).click();
    await page.getByRole("cell").getByRole("link", { name: "Fix the gate" }).click();
    await page.getByRole("dialog", { name: "Fix the gate" }).getByText("It squeaks.").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    // The card's address gives the view back.
    assert.match(page.url(), /layout=calendar/);
    assert.deepEqual(faults, []);
    await close();
  });

  it("keeps titles readable next to long column names", async () => {
    const long =
      "Waiting for a reply from the carpenter, the painter and everyone else in the house";
    const { path } = await makeBoard(api, "Long names", { [long]: ["Write to the carpenter"] });
    for (const phone of [false, true]) {
      const { page, close } = await open({ path: `${path}?layout=list`, phone });
      const title = page.getByRole("link", { name: "Write to the carpenter" });
      await title.waitFor();
      const isCut = (element) => element.scrollWidth > element.clientWidth;
      assert.equal(await title.evaluate(isCut), false);
      const column = page.getByRole("cell", { name: long });
      assert.equal(await column.evaluate(isCut), true);
      const width = async (locator) => (await locator.boundingBox()).width;
      assert.ok((await width(column)) < (await width(title)));
      await close();
    }
  });
});
