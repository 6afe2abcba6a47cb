import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { axeViolations } from "./support/axe.mjs";
import { admin, member } from "./support/host.mjs";
import { makeNote, openNotes, share } from "./support/notes.mjs";
import { personId, startSite } from "./support/site.mjs";
import { eventually } from "./support/wait.mjs";

const { host, api, browser } = await startSite();
const grace = await personId(api, "Grace");

const open = (options) => openNotes(browser, host.url, options);
const textOf = async (id) => (await api.send("GET", `/api/notes/notes/${id}`)).text;

describe("shared note", () => {
  it("appears for a reader, then for an editor", async () => {
    const { id } = await makeNote(api, { title: "Budget", text: "Ten" });
    const ada = await open();
    const other = await open({ signIn: member });
    await other.page.getByRole("heading", { name: "Write your first note" }).waitFor();
    await ada.openNote("Budget");
    await ada.page.getByRole("button", { name: "Share", exact: true }).click();
    const dialog = ada.page.getByRole("dialog", { name: "Share “Budget”" });
    await dialog.getByRole("combobox", { name: "Add people and groups" }).fill("gra");
    await ada.page.getByRole("option", { name: member.name }).click();
    const level = dialog.getByRole("combobox", { name: `Access of ${member.name}` });
    await level.selectOption("Can view");
    assert.deepEqual(await axeViolations(ada.page), []);

    // Without a reload it is in the other window's list, for reading.
    await other.row("Budget").waitFor();
    await other.row("Budget").click();
    await other.page.getByText("View only").waitFor();
    assert.equal(await other.text.count(), 0);
    await other.page.getByRole("link", { name: /Shared with me/ }).waitFor();
    assert.deepEqual(await axeViolations(other.page), []);

    await level.selectOption("Can edit");
    await dialog.getByRole("button", { name: "Close" }).click();
    await other.page.getByRole("button", { name: "Write", exact: true }).click();
    await other.write(" and a half");
    await other.saved();
    assert.equal(await textOf(id), "Ten and a half");

    // Shared no more, it goes from the other window.
    await ada.page.getByRole("button", { name: "Shared", exact: true }).click();
    await dialog.getByRole("button", { name: `Remove ${member.name}` }).click();
    await other.page.getByRole("heading", { name: "Note not found" }).waitFor();
    await other.row("Budget").waitFor({ state: "detached" });
    assert.deepEqual([...ada.faults, ...other.faults], []);
    await ada.close();
    await other.close();
  });

  it("cannot be deleted permanently by others", async () => {
    const { id } = await makeNote(api, { title: "Thrown away", text: "x" });
    await share(api, { id }, "writer", grace);
    const other = await open({ signIn: member });
    await other.openNote("Thrown away");
    await other.choose("Move to the trash");
    await other.page.getByRole("link", { name: /^Trash/ }).click();
    await other.row("Thrown away").click();
    await other.page.getByRole("button", { name: "Restore" }).waitFor();
    assert.equal(await other.page.getByRole("button", { name: "Delete permanently" }).count(), 0);
    assert.equal(await other.page.getByRole("button", { name: "Empty trash" }).count(), 0);
    await other.page.getByRole("button", { name: "Restore" }).click();
    await eventually(async () => (await api.send("GET", `/api/notes/notes/${id}`)).deleted, null);
    await other.close();
  });

  it("shows the owner of its notebook", async () => {
    const notebook = await api.send("POST", "/api/notes/notebooks", { name: "Team" });
    await makeNote(api, { title: "Minutes", text: "x", notebook: notebook.id });
    const ada = await open();
    const other = await open({ signIn: member });
    await ada.page.getByRole("button", { name: "Team, more" }).click({ force: true });
    await ada.page.getByRole("menuitem", { name: "Share…" }).click();
    const dialog = ada.page.getByRole("dialog", { name: "Share “Team”" });
    await dialog.getByRole("combobox", { name: /^Everyone/ }).selectOption("Can view");
    await other.row("Minutes").waitFor();
    await other.page
      .getByRole("link", { name: new RegExp(`Team.*Shared by ${admin.name}`) })
      .waitFor();
    await ada.close();
    await other.close();
  });
});

describe("two people with one note", () => {
  it("see each other and live changes", async () => {
    const { id } = await makeNote(api, { title: "Together", text: "one" });
    await share(api, { id }, "writer", grace);
    const ada = await open();
    const other = await open({ signIn: member });
    await ada.openNote("Together");
    await other.openNote("Together");
    const here = (page) => page.getByRole("group", { name: "Also here" });
    await here(ada.page).getByRole("img", { name: member.name }).waitFor();
    await here(other.page).getByRole("img", { name: admin.name }).waitFor();

    await ada.write(" two");
    await ada.saved();
    await eventually(() => other.text.innerText(), "one two");
    await other.write(" three");
    await other.saved();
    await eventually(() => ada.text.innerText(), "one two three");
    assert.equal(await textOf(id), "one two three");
    await ada.row("one two three").waitFor();

    await other.page.goto("/app/notes");
    await here(ada.page).waitFor({ state: "detached" });
    assert.deepEqual([...ada.faults, ...other.faults], []);
    await ada.close();
    await other.close();
  });

  it("see creation, renaming, pinning and deletion", async () => {
    const other = await open({ signIn: member });
    const { id } = await makeNote(api, { title: "Begun", text: "x" });
    await share(api, { id }, "reader", grace);
    await other.row("Begun").waitFor();
    await api.send("PATCH", `/api/notes/notes/${id}`, { pinned: true });
    await other.row("Begun").getByLabel("Pinned").waitFor();
    await api.send("DELETE", `/api/notes/notes/${id}`);
    await other.row("Begun").waitFor({ state: "detached" });
    await other.close();
  });
});
