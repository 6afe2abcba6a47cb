import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { axeViolations } from "./support/axe.mjs";
import { looks, openWindow } from "./support/browser.mjs";
import { admin } from "./support/host.mjs";
import { makeNote } from "./support/notes.mjs";
import { startSite } from "./support/site.mjs";
import { makeBoard } from "./support/tasks.mjs";

const { host, api, browser } = await startSite();
const notebook = await api.send("POST", "/api/notes/notebooks", { name: "House" });
await makeNote(api, {
  title: "Kitchen",
  notebook: notebook.id,
  text: "---\ntitle: Kitchen\ntags: [oak]\n---\n# Kitchen\n\nThe **walnut** table and [its chairs](chairs.md).\n",
});
const { cards } = await makeBoard(api, "Furniture", { "To do": ["Order the table"] });
await api.send("PATCH", `/api/tasks/cards/${cards["Order the table"].id}`, {
  description: "Of **walnut**, see [the offer](https://example.org).",
});

async function open(options) {
  const window = await openWindow(browser, host.url, { signIn: admin, ...options });
  await window.page.goto("/");
  await window.page.getByRole("heading", { name: "Home" }).waitFor();
  await window.page.keyboard.press("Control+k");
  const palette = window.page.getByRole("dialog", { name: "Search and commands" });
  const input = palette.getByRole("combobox");
  await input.waitFor();
  return { ...window, palette, input, option: (name) => palette.getByRole("option", { name }) };
}

describe("command palette", () => {
  it("shows where results belong, without Markdown", async () => {
    const { page, input, option, faults, close } = await open();
    await input.fill("walnut");
    const note = option("Kitchen");
    await note.getByText("House", { exact: true }).waitFor();
    await note.getByText("The walnut table and its chairs.").waitFor();
    const card = option("Order the table");
    await card.getByText("Furniture", { exact: true }).waitFor();
    await card.getByText("Of walnut, see the offer.").waitFor();
    await card.click();
    await page.getByRole("dialog", { name: "Order the table" }).waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  it("shows the text if only front matter matches", async () => {
    const { input, option, close } = await open();
    await input.fill("oak");
    await option("Kitchen").getByText(/^The walnut table/).waitFor();
    await close();
  });

  it("lists commands first and drops old results", async () => {
    const { input, palette, option, close } = await open();
    await input.fill("walnut");
    await option("Kitchen").waitFor();
    await option("Order the table").waitFor();
    await input.fill("note");
    await option("Kitchen").waitFor({ state: "detached" });
    await option("Order the table").waitFor({ state: "detached" });
    const first = palette.getByRole("group").first();
    await first.and(palette.getByRole("group", { name: "Commands" })).waitFor();
    await first.getByRole("option", { name: "New note" }).waitFor();
    await input.fill("zzzz");
    await palette.getByText("No results for “zzzz”").waitFor();
    assert.equal(await palette.getByRole("option").count(), 0);
    await close();
  });

  for (const { name, dark, phone } of looks)
    it(`is accessible with results (${name})`, async () => {
      const { page, input, option, close } = await open({ dark, phone });
      await input.fill("table");
      await option("Kitchen").waitFor();
      await option("Order the table").waitFor();
      assert.deepEqual(await axeViolations(page), []);
      await close();
    });
});
