import { strToU8, unzipSync, zipSync } from "fflate";
import assert from "node:assert/strict";
import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { openNotes } from "./support/notes.mjs";
import { startSite, temporaryFolder } from "./support/site.mjs";
import { eventually } from "./support/wait.mjs";

const packages = fileURLToPath(new URL("../../shell-ui/node_modules", import.meta.url));

const { host, api, browser } = await startSite();
const folder = await temporaryFolder();

const open = (options) => openNotes(browser, host.url, options);
const more = async (page, choice) => {
  await page.locator(".notes-nav").getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("menuitem", { name: choice }).click();
};

/** Exports everything in the page, and gives the archive's files. */
async function exported(page) {
  const download = page.waitForEvent("download");
  await more(page, "Export all notes…");
  const bytes = await readFile(await (await download).path());
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click();
  return unzipSync(new Uint8Array(bytes));
}

/** Real Markdown: READMEs, changelogs and docs of the packages that the UI is built from. */
async function collect(into, max) {
  const found = [];
  for (const entry of await readdir(packages, { recursive: true, withFileTypes: true })) {
    if (found.length >= max) break;
    const path = join(entry.parentPath, entry.name).slice(packages.length + 1);
    if (!entry.isFile() || !/\.md$/i.test(path) || /(^|\/)\./.test(path)) continue;
    const bytes = await readFile(join(packages, path));
    if (bytes.length > 700_000 || bytes.includes(0)) continue;
    try {
      new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch {
      continue;
    }
    // `node_modules` in the middle of a path is a folder as others are.
    await mkdir(dirname(join(into, path)), { recursive: true });
    await cp(join(packages, path), join(into, path));
    found.push(path);
  }
  return found;
}

const tree = join(folder, "packages");
/** @type {ReturnType<typeof collect> | undefined} */
let collected;
/** The files of the tree, which is made for the first test that wants it. */
const filesOfTree = () => (collected ??= collect(tree, 600));

describe("archive import", () => {
  it("creates notes, notebooks and links", async () => {
    const archive = join(folder, "notes.zip");
    await writeFile(
      archive,
      zipSync({
        "House/plan.md": strToU8("# The plan\n\nSee [the list](lists/buy.md) and [[Wishes]].\n"),
        "House/lists/buy.md": strToU8("---\ntags: [shopping]\n---\n# Buy\n\n- [ ] nails\n"),
        "wishes.txt": strToU8("Wishes\r\n"),
        "picture.png": new Uint8Array([1, 2, 3]),
        ".git/config.md": strToU8("hidden"),
        "latin1.md": new Uint8Array([0x61, 0xe9, 0x62]),
      }),
    );
    const { page, openNote, faults, close } = await open();
    await more(page, "Import…");
    await page.getByTestId("import-files").setInputFiles(archive);
    const dialog = page.getByRole("dialog", { name: "Imported 3 notes" });
    await dialog.waitFor();
    const results = dialog.getByRole("list", { name: "Results" });
    assert.match(await results.innerText(), /3 created\s+0 already imported\s+2 skipped\s+1 failed/);
    await dialog.getByRole("row", { name: /latin1\.md.*Not UTF-8 text/ }).waitFor();
    await dialog.getByRole("row", { name: /picture\.png.*Not a Markdown or text file/ }).waitFor();
    await dialog.getByRole("button", { name: "Close" }).last().click();
    await page
      .locator(".notes-nav")
      .getByRole("link", { name: /^House/ })
      .click();
    await openNote("The plan");
    await page.locator(".md-follow", { hasText: "the list" }).click();
    await page.getByRole("article", { name: "Buy" }).waitFor();
    await page.getByRole("button", { name: "Remove the tag shopping" }).waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  it("creates nothing twice", async () => {
    const archive = join(folder, "twice.zip");
    await writeFile(archive, zipSync({ "Twice/a.md": strToU8("a"), "Twice/b.md": strToU8("b") }));
    const { page, close } = await open();
    for (const figures of [/2 created\s*0 already imported/, /0 created\s*2 already imported/]) {
      await more(page, "Import…");
      await page.getByTestId("import-files").setInputFiles(archive);
      await page.getByText(figures).waitFor();
      await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click();
    }
    await close();
  });

  it("rejects other files with a reason", async () => {
    const broken = join(folder, "broken.zip");
    await writeFile(broken, "this is no archive");
    const { page, faults, close } = await open();
    await more(page, "Import…");
    await page.getByTestId("import-files").setInputFiles(broken);
    await page.getByText("This is not a zip archive").waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  it("stops at a zip bomb", async () => {
    const bomb = join(folder, "bomb.zip");
    await writeFile(
      bomb,
      zipSync({ "bomb.md": new Uint8Array(60 * 1_048_576), "ok.md": strToU8("fine") }),
    );
    const { page, faults, close } = await open();
    await more(page, "Import…");
    await page.getByTestId("import-files").setInputFiles(bomb);
    await page.getByRole("row", { name: /bomb\.md.*Larger than 768 KiB/ }).waitFor();
    await page.getByRole("row", { name: /ok\.md created/ }).waitFor();
    assert.deepEqual(faults, []);
    await close();
  });
});

describe("folder import", () => {
  it("imports, finds, edits and exports every byte", async () => {
    for (const { id } of (await api.send("GET", "/api/notes/notebooks")).items) {
      await api.send("DELETE", `/api/notes/notebooks/${id}`).catch(() => undefined);
    }
    const files = await filesOfTree();
    assert.ok(files.length >= 500, `${files.length} files`);
    const { page, title, write, saved, text, faults, close } = await open();
    await more(page, "Import…");
    await page.getByTestId("import-folder").setInputFiles(tree);
    const dialog = page.getByRole("dialog", { name: /^Imported \d+ notes$/ });
    await dialog.waitFor();
    const [, created, , , failed] =
      /(\d+) created\s+(\d+) already imported\s+(\d+) skipped\s+(\d+) failed/.exec(
        await dialog.getByRole("list", { name: "Results" }).innerText(),
      ) ?? [];
    assert.deepEqual([Number(created), Number(failed)], [files.length, 0]);
    await dialog.getByRole("button", { name: "Close" }).last().click();

    const archive = await exported(page);
    let compared = 0;
    for (const path of files) {
      const out = archive[`packages/${path}`];
      assert.ok(out, `${path} is missing`);
      assert.ok(Buffer.from(out).equals(await readFile(join(tree, path))), `${path} differs`);
      compared += 1;
    }
    assert.equal(compared, files.length);

    await page.getByRole("searchbox", { name: "Search notes" }).fill("markdown parser commonmark");
    await page.locator(".notes-row mark").first().waitFor();
    await page.locator(".notes-list [role=option]").first().click();
    await title.waitFor();
    const before = await text.innerText();
    await write("\n\nA line of our own.\n");
    await saved();
    assert.ok(before.length > 0);
    const again = await exported(page);
    const changed = files.filter(
      (path) =>
        !Buffer.from(again[`packages/${path}`]).equals(Buffer.from(archive[`packages/${path}`])),
    );
    assert.equal(changed.length, 1);
    assert.match(Buffer.from(again[`packages/${changed[0]}`]).toString(), /A line of our own\.\n$/);
    assert.deepEqual(faults, []);
    await close();
  });

  it("stops when cancelled", async () => {
    await filesOfTree();
    const { page, close } = await open();
    let batches = 0;
    // Held until it is aborted.
    await page.route("**/api/notes/import", () => void (batches += 1));
    const aborted = page.waitForEvent("requestfailed");
    await more(page, "Import…");
    await page.getByTestId("import-folder").setInputFiles(tree);
    await eventually(() => batches, 1);
    await page.getByRole("button", { name: "Cancel import" }).click();
    await page.getByRole("dialog", { name: "Import cancelled" }).waitFor();
    assert.match((await aborted).url(), /\/api\/notes\/import$/);
    assert.equal(batches, 1);
    await close();
  });

  it("resumes in the background after an outage", async () => {
    const files = await filesOfTree();
    const { page, close } = await open();
    let fails = 1;
    await page.route("**/api/notes/import", (route) =>
      fails-- > 0 ? route.abort("connectionrefused") : route.fallback(),
    );
    await more(page, "Import…");
    await page.getByTestId("import-folder").setInputFiles(tree);
    await page.getByRole("button", { name: "Continue in background" }).click();
    await page.locator(".notes-nav-import").click();
    const dialog = page.getByRole("dialog", { name: /^Imported \d+ notes?$/ });
    await dialog.waitFor();
    const figures = await dialog.getByRole("list", { name: "Results" }).innerText();
    const [made = 0, there = 0] = figures.match(/\d+/g)?.map(Number) ?? [];
    assert.equal(made + there, files.length);
    await close();
  });
});
