import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { axeViolations } from "./support/axe.mjs";
import { looks, openWindow } from "./support/browser.mjs";
import { Api, member } from "./support/host.mjs";
import { startSite } from "./support/site.mjs";

const { host, browser } = await startSite({ hello: { tables: true } });

const csv = (...lines) => ({
  name: "tasks.csv",
  mimeType: "text/csv",
  buffer: Buffer.from(lines.join("\n")),
});
// A folder for screenshots of the pages; not set in the gate.
const shots = process.env.E2E_SHOTS;
const shoot = async (page, name) => {
  if (shots) await page.screenshot({ path: `${shots}/${name}.png` });
};

async function open(options) {
  const window = await openWindow(browser, host.url, { signIn: member, ...options });
  const { page } = window;
  await page.goto("/app/hello/tasks");
  await page.getByRole("button", { name: "Import" }).click();
  const dialog = page.getByRole("dialog", { name: "Import tasks" });
  await dialog.getByRole("button", { name: "Choose a file" }).waitFor();
  return { ...window, dialog };
}

describe("record import", () => {
  for (const { name, ...look } of looks) {
    it(`maps, checks and imports a file: ${name}`, async () => {
      const { page, dialog, faults, close } = await open(look);
      await shoot(page, `import-${name}-1-choose`);
      assert.deepEqual(await axeViolations(page), []);
      await dialog
        .locator("input[type=file]")
        .setInputFiles(
          csv(
            "Title;State;Hours;Due;Customer",
            `Prepare the release notes ${name};todo;2.5;2026-12-01;Acme`,
            `Call the printer about the long banner for the fair in spring ${name};done;x;2026-12-24;`,
            ";todo;1;;Widgets Ltd",
            `Book a room ${name};later;1;2026-13-01;`,
          ),
        );
      const field = dialog.getByRole("combobox", { name: "Field for Hours" });
      assert.equal(await field.inputValue(), "hours");
      const left = dialog.getByRole("combobox", { name: "Field for Customer" });
      assert.equal(await left.inputValue(), "");
      await shoot(page, `import-${name}-2-map`);
      assert.deepEqual(await axeViolations(page), []);
      await dialog.getByRole("button", { name: "Check" }).click();
      await dialog.getByRole("region", { name: "Rejected rows" }).waitFor();
      await dialog.getByRole("row").filter({ hasText: "Hours" }).waitFor();
      await shoot(page, `import-${name}-3-checked`);
      assert.deepEqual(await axeViolations(page), []);
      await dialog.getByRole("button", { name: "Import 1 record" }).click();
      await dialog.getByText("1 record imported.").waitFor();
      await shoot(page, `import-${name}-4-done`);
      assert.deepEqual(await axeViolations(page), []);
      const download = page.waitForEvent("download");
      await dialog.getByRole("link", { name: "Download rejected rows" }).click();
      const list = await readFile(await (await download).path(), "utf8");
      assert.match(list, /hours/);
      await dialog.getByRole("button", { name: "Close" }).last().click();
      await page.getByRole("button", { name: `Prepare the release notes ${name}` }).waitFor();
      assert.deepEqual(faults, []);
      await close();
    });
  }

  it("works by keyboard and updates by key", async () => {
    const grace = new Api(host.url);
    await grace.signIn(member);
    await grace.send("POST", "/api/hello/tasks", { title: "Print the catalogue" });
    const { page, dialog, faults, close } = await open();
    await dialog
      .locator("input[type=file]")
      .setInputFiles(csv("title,hours", "Print the catalogue,9", "By keyboard,1"));
    await dialog.getByRole("combobox", { name: "Field for title" }).waitFor();
    await dialog.getByRole("combobox", { name: "Import as" }).focus();
    await page.keyboard.type("New records, or");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await dialog.getByRole("button", { name: "Import 2 records" }).focus();
    await page.keyboard.press("Enter");
    await dialog.getByText("2 records imported.").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "By keyboard" }).waitFor();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export" }).click();
    await page.getByRole("menuitem", { name: "CSV", exact: true }).click();
    const file = await download;
    assert.equal(file.suggestedFilename(), "hello-tasks.csv");
    const text = await readFile(await file.path(), "utf8");
    assert.match(text, /^id,title,hours\r\n/);
    assert.match(text, /Print the catalogue"?,9\r\n/);
    assert.deepEqual(faults, []);
    await close();
  });

  it("accepts dropped tables and rejects other files", async () => {
    const { dialog, close } = await open();
    const drop = (name, content) =>
      dialog.locator(".t-drop").evaluate(
        (zone, [fileName, text]) => {
          const data = new DataTransfer();
          data.items.add(new File([text], fileName));
          zone.dispatchEvent(new DragEvent("drop", { bubbles: true, dataTransfer: data }));
        },
        [name, content],
      );
    await drop("x.json", "[{");
    await dialog.getByText("The file is not valid JSON").waitFor();
    await drop("x.json", '[{"title":"Dropped"}]');
    await dialog.getByRole("combobox", { name: "Field for title" }).waitFor();
    await close();
  });
});
