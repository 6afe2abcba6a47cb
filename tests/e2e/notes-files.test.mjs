import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { axeViolations } from "./support/axe.mjs";
import { makeNote, openNotes } from "./support/notes.mjs";
import { startSite, temporaryFolder } from "./support/site.mjs";
import { eventually } from "./support/wait.mjs";

const { host, api, browser } = await startSite();
const folder = await temporaryFolder();

const open = (options) => openNotes(browser, host.url, options);
const noteOf = (id) => api.send("GET", `/api/notes/notes/${id}`);
const filesOf = async (id) => (await noteOf(id)).attachments;

/** A picture as the browser makes one, put into the page by an event as a person's paste or drop makes it. */
const addFile = (page, how, { name, type, selector }) =>
  page.evaluate(
    async ([how, name, type, selector]) => {
      const canvas = new OffscreenCanvas(64, 48);
      const context = canvas.getContext("2d");
      context.fillStyle = "teal";
      context.fillRect(0, 0, 64, 48);
      const picture = await canvas.convertToBlob({ type: "image/png" });
      const content = type === "image/png" ? picture : new Blob(["<script>1</script>"]);
      const data = new DataTransfer();
      data.items.add(new File([content], name, { type }));
      const target = document.querySelector(selector);
      const init = { bubbles: true, cancelable: true };
      if (how === "paste") {
        target.dispatchEvent(new ClipboardEvent("paste", { ...init, clipboardData: data }));
      } else {
        target.dispatchEvent(new DragEvent("dragenter", { ...init, dataTransfer: data }));
        target.dispatchEvent(new DragEvent("drop", { ...init, dataTransfer: data }));
      }
    },
    [how, name, type, selector],
  );

/** Chooses a file of so many bytes by the button. */
async function choose(page, name, content) {
  const path = join(folder, name);
  await writeFile(path, content);
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Attach files" }).click();
  await (await chooser).setFiles(path);
}

describe("note attachment", () => {
  it("is pasted and stays after a reload", async () => {
    const { id } = await makeNote(api, { title: "Pasted", text: "Look:" });
    const { page, openNote, text, faults, close } = await open();
    await openNote("Pasted");
    await text.click();
    await page.keyboard.press("Control+End");
    await addFile(page, "paste", {
      name: "my photo.png",
      type: "image/png",
      selector: ".notes-editor .cm-content",
    });
    const [file] = await eventually(
      () => filesOf(id),
      (files) => files.length === 1,
    );
    assert.deepEqual(
      [file.name, file.type, file.width, file.height],
      ["my photo.png", "image/png", 64, 48],
    );
    await page.getByRole("textbox", { name: "Title" }).click();
    const image = page.locator(".notes-editor img.md-image");
    await image.waitFor();
    assert.equal(await image.evaluate((img) => img.decode().then(() => img.naturalWidth)), 64);
    await eventually(
      async () => (await noteOf(id)).text,
      (now) => /^Look:\n\n!\[my photo\.png\]\(attachments\/[^)]+\)\n$/.test(now),
    );
    await page.reload();
    await page.locator(".notes-editor img.md-image").waitFor();
    await page.getByRole("button", { name: "Read", exact: true }).click();
    await page.getByRole("img", { name: "my photo.png" }).waitFor();
    assert.deepEqual(await axeViolations(page), []);
    assert.deepEqual(faults, []);
    await close();
  });

  it("is downloaded if it could run code", async () => {
    const { id } = await makeNote(api, { title: "Dropped", text: "" });
    const { page, openNote, faults, close } = await open();
    await openNote("Dropped");
    await addFile(page, "drop", {
      name: "evil.html",
      type: "text/html",
      selector: ".notes-editor .cm-content",
    });
    await eventually(
      () => filesOf(id),
      (files) => files.length === 1,
    );
    await page.getByRole("button", { name: "Read", exact: true }).click();
    const link = page.locator(".notes-prose a.md-file");
    await link.getByText("18 bytes").waitFor();
    const download = page.waitForEvent("download");
    await link.click();
    assert.equal((await download).suggestedFilename(), "evil.html");
    assert.deepEqual(faults, []);
    await close();
  });

  it("resumes after a lost connection and a reload", async () => {
    const { id } = await makeNote(api, { title: "Tunnel", text: "x" });
    const { page, context, openNote, saved, faults, close } = await open();
    await openNote("Tunnel");
    let lost = 0;
    let isLosing = true;
    // The route stays: a request that it intercepts while it is removed never ends.
    await context.route("**/api/notes/blobs/uploads/*", (route) => {
      if (!isLosing || route.request().method() !== "PATCH") return route.fallback();
      lost += 1;
      return route.abort("connectionreset");
    });
    await choose(page, "large.bin", Buffer.alloc(3_000_000, 7));
    await eventually(
      () => lost,
      (times) => times > 0,
    );
    const strip = page.getByRole("list", { name: "Uploads" });
    await strip.getByText("large.bin").waitFor();
    await saved();
    await page.reload();
    await strip.getByText("large.bin").waitFor();
    assert.deepEqual(await filesOf(id), []);
    isLosing = false;
    const [file] = await eventually(
      () => filesOf(id),
      (files) => files.length === 1,
    );
    assert.equal(file.bytes, 3_000_000);
    await strip.waitFor({ state: "hidden" });
    assert.match((await noteOf(id)).text, /\[large\.bin\]\(attachments\//);
    assert.deepEqual(faults, []);
    await close();
  });

  it("reports a refusal, retries and can be cancelled", async () => {
    const { id } = await makeNote(api, { title: "Refused", text: "x" });
    const { page, context, openNote, saved, close } = await open();
    await openNote("Refused");
    const full = (route) =>
      route.request().method() === "POST"
        ? route.fulfill({
            status: 507,
            contentType: "application/problem+json",
            headers: { "Tus-Resumable": "1.0.0" },
            body: JSON.stringify({ code: "blobs.quota", detail: "The quota is used up." }),
          })
        : route.fallback();
    await context.route("**/api/notes/blobs", full);
    await choose(page, "a.bin", "one");
    const strip = page.getByRole("list", { name: "Uploads" });
    await strip.getByText("The quota is used up.").waitFor();
    await strip.getByRole("button", { name: "Cancel a.bin" }).click();
    await strip.waitFor({ state: "hidden" });
    await saved();
    await eventually(
      async () => (await noteOf(id)).text,
      (text) => !text.includes("attachments/"),
    );
    await context.unroute("**/api/notes/blobs", full);
    await choose(page, "b.bin", "two");
    await eventually(
      () => filesOf(id),
      (files) => files.length === 1 && files[0].name === "b.bin",
    );
    await close();
  });

  it("is listed and deleted after confirmation", async () => {
    const { id } = await makeNote(api, { title: "Listed", text: "x" });
    const { page, openNote, panel, close } = await open();
    await openNote("Listed");
    await choose(page, "c.txt", "three");
    await eventually(
      () => filesOf(id),
      (files) => files.length === 1,
    );
    await panel("Files");
    const files = page.getByRole("list", { name: "Files", exact: true });
    await files.getByText("5 bytes").waitFor();
    assert.deepEqual(await axeViolations(page), []);
    await files.getByRole("button", { name: "Delete c.txt" }).click();
    await page.getByRole("button", { name: "Delete file" }).click();
    await page.getByText("No files yet.").waitFor();
    assert.deepEqual(await filesOf(id), []);
    await close();
  });

  it("is exported and imported", async () => {
    const notebook = await api.send("POST", "/api/notes/notebooks", { name: "Carried" });
    const { id } = await makeNote(api, {
      title: "Report",
      text: "Figures:",
      notebook: notebook.id,
    });
    const { page, openNote, faults, close } = await open({
      path: `/app/notes/notebook/${notebook.id}`,
    });
    await openNote("Report");
    await choose(page, "figures.csv", "a,b\n1,2\n");
    await eventually(
      () => noteOf(id),
      ({ text, attachments }) => attachments.length === 1 && text.includes("figures.csv"),
    );
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Carried, more" }).click({ force: true });
    await page.getByRole("menuitem", { name: "Export…" }).click();
    const archive = join(folder, "carried.zip");
    await (await download).saveAs(archive);
    assert.ok((await readFile(archive)).includes("figures.csv"));
    await page.getByRole("button", { name: "Close" }).last().click();
    const elsewhere = await api.send("POST", "/api/notes/notebooks", { name: "Elsewhere" });
    await page.goto(`/app/notes/notebook/${elsewhere.id}`);
    await page.getByRole("button", { name: "Elsewhere, more" }).click({ force: true });
    await page.getByRole("menuitem", { name: "Import…" }).click();
    await page.getByTestId("import-files").setInputFiles(archive);
    const imported = page.getByRole("dialog", { name: "Imported 1 note" });
    await imported.getByText("1 attached").waitFor();
    const { items } = await api.send("GET", "/api/notes/search?q=figures");
    const copy = items.find(({ note }) => note.notebook !== notebook.id);
    const [file] = await filesOf(copy.note.id);
    assert.deepEqual([file.name, file.bytes], ["figures.csv", 8]);
    assert.deepEqual(faults, []);
    await close();
  });
});
