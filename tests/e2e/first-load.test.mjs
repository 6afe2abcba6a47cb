import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openWindow } from "./support/browser.mjs";
import { admin } from "./support/host.mjs";
import { actions, makeNote } from "./support/notes.mjs";
import { startSite } from "./support/site.mjs";
import { makeBoard } from "./support/tasks.mjs";

const { host, api, browser } = await startSite();
const note = await makeNote(api, { title: "Bread", text: "Rye" });
const { board, columns, cards, path } = await makeBoard(api, "Launch", { "To do": ["Bake"] });

/** A window, and the path and query of each request for data of plugins so far. */
async function open() {
  const window = await openWindow(browser, host.url, { signIn: admin });
  /** @type {string[]} */
  const requests = [];
  window.page.on("request", (request) => {
    const { pathname, search } = new URL(request.url());
    if (request.method() === "GET" && /^\/api\/(notes|tasks)\//.test(pathname))
      requests.push(pathname + search);
  });
  const repeated = () => requests.filter((one, at) => requests.indexOf(one) !== at);
  return { ...window, requests, repeated };
}

// A change by another user is shown once the event connection is open; a second read would have happened by then.
describe("first load", () => {
  it("reads a board once", async () => {
    const { page, requests, repeated, faults, close } = await open();
    await page.goto(path);
    await page.getByRole("link", { name: "Bake" }).waitFor();
    const where = { board: board.id, column: columns["To do"].id };
    await api.send("POST", "/api/tasks/cards", { ...where, title: "Eat", position: "a5" });
    await page.getByRole("link", { name: "Eat" }).waitFor();
    const lists = requests.filter((one) => one.startsWith("/api/tasks/columns?"));
    assert.equal(lists.length, 1);
    const others = repeated().filter((one) => !one.startsWith("/api/tasks/cards?"));
    assert.deepEqual(others, []);
    assert.deepEqual(faults, []);
    await close();
  });

  it("reads an open card once", async () => {
    const { page, repeated, close } = await open();
    await page.goto(`${path}/card/${cards.Bake.id}`);
    const dialog = page.getByRole("dialog", { name: "Bake" });
    await dialog.getByText("added the card").waitFor();
    await api.send("PATCH", `/api/tasks/cards/${cards.Bake.id}`, { description: "At noon" });
    await dialog.getByText("At noon").waitFor();
    const own = repeated().filter((one) => !/\/(cards|activity)\?/.test(one));
    assert.deepEqual(own, []);
    await close();
  });

  it("reads the notes once", async () => {
    const { page, requests, repeated, close } = await open();
    await page.goto("/app/notes");
    await actions(page).row("Bread").waitFor();
    assert.deepEqual(requests.toSorted(), [
      "/api/notes/notebooks",
      "/api/notes/notes?view=all",
      "/api/notes/tags",
    ]);
    await api.send("PATCH", `/api/notes/notes/${note.id}`, { pinned: true });
    await actions(page).row("Bread").getByLabel("Pinned").waitFor();
    assert.deepEqual(repeated(), ["/api/notes/notes?view=all"]);
    await close();
  });

  it("misses no change between read and subscription", async () => {
    const { page, close } = await open();
    // The connection that follows the notes opens only after the list was read and changed.
    let follow = () => undefined;
    const changed = new Promise((resolve) => (follow = () => resolve(undefined)));
    await page.route(/events\?.*notes\.news/, async (route) => {
      await changed;
      await route.continue();
    });
    await page.goto("/app/notes");
    await actions(page).row("Bread").waitFor();
    await api.send("POST", "/api/notes/notes", { title: "Butter", text: "Salted" });
    follow();
    await actions(page).row("Butter").waitFor();
    await close();
  });
});
