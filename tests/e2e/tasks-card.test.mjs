import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { admin, member } from "./support/host.mjs";
import { personId, startSite } from "./support/site.mjs";
import { makeBoard, openTasks } from "./support/tasks.mjs";
import { eventually } from "./support/wait.mjs";

const { host, api, browser } = await startSite();

const open = (options) => openTasks(browser, host.url, options);
const read = (card) => api.send("GET", `/api/tasks/cards/${card.id}`);
const of = async (table, card) =>
  (await api.send("GET", `/api/tasks/${table}?filter=${encodeURIComponent(`card = '${card.id}'`)}`))
    .items;

describe("card", () => {
  it("renders Markdown lists", async () => {
    const { board, cards, path } = await makeBoard(api, "Lists", { Now: ["Shopping"] });
    const text = "- boards\n  - oak\n  - ash\n\n3. measure\n4. saw";
    await api.send("PATCH", `/api/tasks/cards/${cards.Shopping.id}`, { description: text });
    const where = { board: board.id, card: cards.Shopping.id };
    await api.send("POST", "/api/tasks/comments", { ...where, text });
    const { page, faults, close } = await open({ path: `${path}/card/${cards.Shopping.id}` });
    const proses = page.locator(".tasks-prose");
    await eventually(() => proses.count(), 2);
    for (const prose of await proses.all()) {
      const marker = (items) =>
        prose.locator(items).evaluateAll((found) =>
          found.map((item) => {
            const { display, listStyleType } = getComputedStyle(item);
            return `${display} ${listStyleType}`;
          }),
        );
      await prose.getByText("saw").waitFor();
      assert.deepEqual(await marker(":scope > ul > li"), ["list-item disc"]);
      assert.deepEqual(await marker("ul ul > li"), ["list-item circle", "list-item circle"]);
      assert.deepEqual(await marker("ol > li"), ["list-item decimal", "list-item decimal"]);
      assert.equal(await prose.locator("ol").getAttribute("start"), "3");
    }
    assert.deepEqual(faults, []);
    await close();
  });

  it("is edited, assigned, labelled, dated and completed", async () => {
    const { board, cards, path } = await makeBoard(api, "Cards", { Now: ["Fence"], Done: [] });
    await api.send("POST", "/api/tasks/labels", { board: board.id, name: "Wood", color: "orange" });
    const { page, dialog, faults, close } = await open({ path: `${path}/card/${cards.Fence.id}` });
    const card = () => read(cards.Fence);
    await dialog("Fence").getByRole("textbox", { name: "Title" }).fill("Paint the fence");
    await page.keyboard.press("Enter");
    await eventually(async () => (await card()).title, "Paint the fence");
    const box = dialog("Paint the fence");
    await box.getByRole("button", { name: "Add a description" }).click();
    await page.keyboard.type("Use the **green** one.");
    await page.keyboard.press("Control+Enter");
    await box.locator(".tasks-prose strong", { hasText: "green" }).waitFor();

    await box.getByRole("combobox", { name: "Assigned to" }).click();
    await page.keyboard.type("gra");
    await page.getByRole("option", { name: "Grace Hopper" }).click();
    const grace = await personId(api, "Grace");
    await eventually(async () => (await card()).assignees.join(), grace);
    await box.getByRole("button", { name: "Add or remove labels" }).click();
    await page.getByRole("menuitemradio", { name: "Wood" }).click();
    await box.locator(".tasks-label", { hasText: "Wood" }).waitFor();
    await box.getByRole("combobox", { name: "Repeats" }).selectOption("weekly");
    await eventually(async () => (await card()).repeat, "weekly");
    assert.ok((await card()).repeats > new Date().toISOString().slice(0, 10));

    const field = box.getByRole("textbox", { name: "New checklist item" });
    for (const item of ["Sand", "Prime", "Paint"]) {
      await field.fill(item);
      await page.keyboard.press("Enter");
    }
    await box.getByRole("checkbox", { name: "Sand" }).click();
    await box.getByText("1 of 3").waitFor();
    await box.getByRole("button", { name: "Move Paint up" }).click();
    const items = () => box.locator(".tasks-items li .t-check").allInnerTexts();
    await eventually(async () => (await items()).join(), "Sand,Paint,Prime");
    await box.getByRole("button", { name: "Remove Prime" }).click();
    await eventually(async () => (await items()).join(), "Sand,Paint");
    await box.getByRole("combobox", { name: "Column" }).selectOption({ label: "Done" });
    await box.getByText("moved it from Now to Done").waitFor();
    await page.keyboard.press("Escape");
    const face = page.locator("[data-card]");
    await face.getByText("1/2").waitFor();
    await face.getByText("Wood").waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  it("has comments with mentions", async () => {
    const { cards, path } = await makeBoard(api, "Talk", { Now: ["Gate"] });
    const { page, dialog, undo, faults, close } = await open({
      path: `${path}/card/${cards.Gate.id}`,
    });
    const box = dialog("Gate");
    await box.getByRole("textbox", { name: "Comment" }).click();
    await page.keyboard.type("Ask @gra");
    await page.getByRole("option", { name: "Grace Hopper" }).waitFor();
    await page.keyboard.press("Enter");
    await page.keyboard.type("about *hinges*");
    await page.keyboard.press("Control+Enter");
    await box.locator("mark", { hasText: "@Grace Hopper" }).waitFor();
    await box.locator(".tasks-prose em", { hasText: "hinges" }).waitFor();
    await eventually(async () => (await of("comments", cards.Gate)).length, 1);
    const [comment] = await of("comments", cards.Gate);
    assert.deepEqual(comment.mentions, [await personId(api, "Grace")]);
    assert.equal(comment.text, "Ask @Grace Hopper about *hinges*");
    await box.getByRole("button", { name: "Delete", exact: true }).click();
    await eventually(async () => (await of("comments", cards.Gate)).length, 0);
    await undo();
    await eventually(async () => (await of("comments", cards.Gate)).length, 1);
    assert.deepEqual(faults, []);
    await close();
  });

  it("has files, uploaded in parts and downloadable", async () => {
    const { cards, path } = await makeBoard(api, "Files", { Now: ["Gate"] });
    const { page, dialog, faults, close } = await open({ path: `${path}/card/${cards.Gate.id}` });
    const box = dialog("Gate");
    await box.getByTestId("card-files").setInputFiles({
      name: "plan.txt",
      mimeType: "text/plain",
      buffer: Buffer.from("Two hinges"),
    });
    await box.getByRole("link", { name: "plan.txt" }).waitFor();
    const [file] = (await read(cards.Gate)).files;
    assert.equal(file.name, "plan.txt");
    await page.reload();
    await box.getByRole("button", { name: "Remove plan.txt" }).click();
    await eventually(async () => (await read(cards.Gate)).files?.length ?? 0, 0);
    assert.deepEqual(faults, []);
    await close();
  });

  it("is archived and restored", async () => {
    const { cards, path } = await makeBoard(api, "Archive", { Now: ["Old", "New"] });
    const { page, card, link, menu, undo, faults, close } = await open({ path });
    await link("Old").focus();
    await page.keyboard.press("Delete");
    await card("Old").waitFor({ state: "hidden" });
    await eventually(async () => (await read(cards.Old)).archived !== null, true);
    await undo();
    await card("Old").waitFor();
    await link("Old").click();
    await page.getByRole("button", { name: "Archive", exact: true }).click();
    await card("Old").waitFor({ state: "hidden" });
    await menu("Archived cards");
    const box = page.getByRole("dialog", { name: "Archived cards" });
    await box.getByRole("button", { name: "Restore" }).click();
    await box.getByText("No archived cards").waitFor();
    await page.keyboard.press("Escape");
    await card("Old").waitFor();
    assert.deepEqual(faults, []);
    await close();
  });
});

describe("board access", () => {
  it("hides edits from readers and boards from others", async () => {
    const { board, cards, path } = await makeBoard(api, "Shared", { Now: ["Gate"] });
    const seen = await open({ path, signIn: member });
    await seen.page.getByText("Board not found").waitFor();
    await api.send("PATCH", `/api/tasks/boards/${board.id}`, {
      readers: [await personId(api, "Grace")],
    });
    await seen.page.goto(`${path}/card/${cards.Gate.id}`);
    const box = seen.dialog("Gate");
    await box.waitFor();
    assert.equal(await box.getByRole("combobox", { name: "Column" }).isDisabled(), true);
    assert.equal(await box.getByRole("button", { name: "Add a description" }).count(), 0);
    await seen.page.keyboard.press("Escape");
    await seen.card("Gate").waitFor();
    assert.equal(await seen.page.getByRole("button", { name: "Card", exact: true }).count(), 0);
    assert.deepEqual(seen.faults, []);
    await seen.close();
  });

  it("allows editors of a group, and its readers", async () => {
    const group = await api.send("POST", "/api/core/groups", { name: "Painters" });
    const { path } = await makeBoard(
      api,
      "By group",
      { Now: ["Gate"] },
      { writer_groups: [group.id], readers: [await personId(api, "Grace")] },
    );
    const looks = await open({ path, signIn: member });
    await looks.card("Gate").waitFor();
    assert.equal(await looks.page.getByRole("button", { name: "Card", exact: true }).count(), 0);
    await looks.close();
    await api.send("POST", `/api/core/groups/${group.id}/members`, {
      add: [await personId(api, "Grace")],
    });
    const writes = await open({ path, signIn: member });
    await writes.page.getByRole("button", { name: "Card", exact: true }).first().waitFor();
    assert.deepEqual([...looks.faults, ...writes.faults], []);
    await writes.close();
  });

  it("is set by the owner", async () => {
    const { board, path } = await makeBoard(api, "Sharing", { Now: [] });
    const { page, faults, close } = await open({ path, signIn: admin });
    await page.getByRole("button", { name: "Share" }).click();
    const box = page.getByRole("dialog", { name: "Share “Sharing”" });
    await box.getByRole("combobox", { name: "Can edit" }).click();
    await page.keyboard.type("gra");
    await page.getByRole("option", { name: "Grace Hopper" }).click();
    const grace = await personId(api, "Grace");
    await eventually(
      async () => (await api.send("GET", `/api/tasks/boards/${board.id}`)).writers.join(),
      grace,
    );
    assert.deepEqual(faults, []);
    await close();
  });
});

describe("import", () => {
  it("creates a board from Trello", async () => {
    const trello = {
      name: "From Trello",
      lists: [{ id: "l", name: "Ideas", pos: 1 }],
      cards: [{ id: "c", idList: "l", name: "Pond", desc: "", pos: 1 }],
    };
    const { page, column, card, faults, close } = await open({ path: "/app/tasks?begin=trello" });
    const give = (text) =>
      page.getByTestId("trello-file").setInputFiles({
        name: "board.json",
        mimeType: "application/json",
        buffer: Buffer.from(text),
      });
    await give("{}");
    await page.getByText("The file is no board exported from Trello").waitFor();
    await give(JSON.stringify(trello));
    await column("Ideas").waitFor();
    await card("Pond").waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  it("creates cards from CSV, with Undo", async () => {
    const { board, path } = await makeBoard(api, "CSV", { Now: ["There"] });
    const { page, column, titles, menu, undo, faults, close } = await open({ path });
    await column("Now").waitFor();
    await menu("Import cards from CSV");
    await page.getByTestId("csv-file").setInputFiles({
      name: "cards.csv",
      mimeType: "text/csv",
      buffer: Buffer.from("Name,Status,Due date\nOne,Now,2026-12-24\nTwo,Later,\n,Now,\n"),
    });
    await page.getByText("New columns: Later").waitFor();
    await page.getByText("Line 4: The title is missing.").waitFor();
    await page.getByRole("button", { name: "Import 2 cards" }).click();
    await eventually(async () => (await titles("Now")).join(), "There,One");
    await eventually(async () => (await titles("Later")).join(), "Two");
    await undo();
    const filter = encodeURIComponent(`board = '${board.id}'`);
    await eventually(
      async () => (await api.send("GET", `/api/tasks/cards?filter=${filter}`)).items.length,
      1,
    );
    assert.deepEqual(faults, []);
    await close();
  });
});
