import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { admin, member } from "./support/host.mjs";
import { personId, startSite } from "./support/site.mjs";
import { makeBoard, openTasks } from "./support/tasks.mjs";
import { eventually } from "./support/wait.mjs";

const { host, api, browser } = await startSite();
const grace = await personId(api, "Grace");

/** Two windows that share nothing, Ada's and Grace's, at the same board. */
async function open(path) {
  return Promise.all([
    openTasks(browser, host.url, { path, signIn: admin }),
    openTasks(browser, host.url, { path, signIn: member }),
  ]);
}

async function end(...windows) {
  for (const { faults, close } of windows) {
    assert.deepEqual(faults, []);
    await close();
  }
}

const joined = (titles) => titles.join();

describe("two browsers on one board", () => {
  it("see each other's changes without a reload", async () => {
    const { path } = await makeBoard(
      api,
      "Together",
      { "To do": ["One", "Two"], Doing: [], Done: [] },
      { writers: [grace] },
    );
    const [ada, bob] = await open(path);
    await Promise.all([ada.card("One").waitFor(), bob.card("One").waitFor()]);
    await ada.page.getByRole("group", { name: "Also here" }).waitFor();
    await bob.page
      .getByRole("group", { name: "Also here" })
      .getByRole("img", { name: "Ada Lovelace" })
      .waitFor();

    await ada.dragTo(ada.card("Two"), ada.column("Doing"));
    await eventually(async () => joined(await bob.titles("Doing")), "Two");
    await eventually(async () => joined(await bob.titles("To do")), "One");
    await bob.page.keyboard.press("c");
    await bob.page.keyboard.type("Three");
    await bob.page.keyboard.press("Enter");
    await eventually(async () => joined(await ada.titles("To do")), "One,Three");
    await ada.link("One").focus();
    await ada.page.keyboard.press("Delete");
    await eventually(async () => joined(await bob.titles("To do")), "Three");
    await ada.undo();
    await eventually(async () => joined(await bob.titles("To do")), "One,Three");
    await end(ada, bob);
  });

  it("agree on the order of concurrent moves", async () => {
    const { columns, path } = await makeBoard(
      api,
      "At once",
      { Start: ["Apple", "Berry"], Middle: ["First", "Last"] },
      { writers: [grace] },
    );
    const [ada, bob] = await open(path);
    await Promise.all([ada.card("Last").waitFor(), bob.card("Last").waitFor()]);
    for (const [window, name] of [
      [ada, "Apple"],
      [bob, "Berry"],
    ]) {
      await window.link(name).focus();
      await window.page.keyboard.press("Space");
      await window.page.keyboard.press("ArrowRight");
      await window.page.keyboard.press("Home");
      await window.page.keyboard.press("ArrowDown");
    }
    await Promise.all([ada.page.keyboard.press("Space"), bob.page.keyboard.press("Space")]);
    const four = (titles) => titles.length === 4;
    await eventually(() => ada.titles("Middle"), four);
    await eventually(() => bob.titles("Middle"), four);
    const seen = joined(await ada.titles("Middle"));
    await eventually(async () => joined(await bob.titles("Middle")), seen);
    assert.match(seen, /^First,(Apple,Berry|Berry,Apple),Last$/);
    // A third card fits between two that may have the same key.
    const filter = encodeURIComponent(`column = '${columns.Middle.id}'`);
    const kept = async () =>
      (await api.send("GET", `/api/tasks/cards?filter=${filter}&sort=position,id`)).items.map(
        ({ title }) => title,
      );
    assert.equal(joined(await kept()), seen);
    await ada.link("Last").focus();
    await ada.page.keyboard.press("Space");
    await ada.page.keyboard.press("ArrowUp");
    await ada.page.keyboard.press("Space");
    const [, second, third] = seen.split(",");
    const wanted = `First,${second},Last,${third}`;
    await eventually(async () => joined(await kept()), wanted);
    await eventually(async () => joined(await bob.titles("Middle")), wanted);
    await end(ada, bob);
  });

  it("share comments, activity and presence", async () => {
    const { cards, path } = await makeBoard(
      api,
      "Talking",
      { Now: ["Gate"], Done: [] },
      { writers: [grace] },
    );
    const [ada, bob] = await open(`${path}/card/${cards.Gate.id}`);
    const [hers, his] = [ada.dialog("Gate"), bob.dialog("Gate")];
    await Promise.all([hers.waitFor(), his.waitFor()]);
    await hers.getByRole("img", { name: "Grace Hopper" }).waitFor();
    await hers.getByRole("textbox", { name: "Comment" }).fill("Who has the key?");
    await ada.page.keyboard.press("Control+Enter");
    await his.getByText("Who has the key?").waitFor();
    await his.getByRole("textbox", { name: "New checklist item" }).fill("Find it");
    await bob.page.keyboard.press("Enter");
    await hers.getByRole("checkbox", { name: "Find it" }).click();
    await his.getByText("1 of 1").waitFor();
    await his.getByText("ticked “Find it”").waitFor();
    await his.getByRole("combobox", { name: "Column" }).selectOption({ label: "Done" });
    await hers.getByText("moved it from Now to Done").waitFor();
    assert.equal(
      await hers.getByRole("combobox", { name: "Column" }).locator("option:checked").innerText(),
      "Done",
    );
    await end(ada, bob);
  });

  it("ask before a description is overwritten", async () => {
    const { cards, path } = await makeBoard(
      api,
      "Writing",
      { Now: ["Plan"] },
      { writers: [grace] },
    );
    const [ada, bob] = await open(`${path}/card/${cards.Plan.id}`);
    for (const { dialog } of [ada, bob]) {
      await dialog("Plan").getByRole("button", { name: "Add a description" }).click();
    }
    await bob.page.keyboard.type("His words");
    await bob.page.keyboard.press("Control+Enter");
    await bob.dialog("Plan").locator(".tasks-prose", { hasText: "His words" }).waitFor();
    await ada.page.keyboard.type("Her words");
    await ada.page.keyboard.press("Control+Enter");
    await ada.dialog("Plan").getByText("Someone else changed the description").waitFor();
    await ada.dialog("Plan").getByRole("button", { name: "Keep mine" }).click();
    await bob.dialog("Plan").locator(".tasks-prose", { hasText: "Her words" }).waitFor();
    await end(ada, bob);
  });

  it("separate when one loses access", async () => {
    const { board, path } = await makeBoard(
      api,
      "Parting",
      { Now: ["Secret"] },
      { readers: [grace] },
    );
    const [ada, bob] = await open(path);
    await bob.card("Secret").waitFor();
    await api.send("PATCH", `/api/tasks/boards/${board.id}`, { readers: [] });
    await bob.page.getByText("Board not found").waitFor();
    assert.equal(await bob.card("Secret").count(), 0);
    await end(ada, bob);
  });
});
