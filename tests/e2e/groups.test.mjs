import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { axeViolations } from "./support/axe.mjs";
import { looks, openWindow } from "./support/browser.mjs";
import { admin, member } from "./support/host.mjs";
import { personId, startSite } from "./support/site.mjs";

const { host, api, browser } = await startSite();

const open = (options) => openWindow(browser, host.url, { signIn: admin, ...options });
const row = (page, name) => page.getByRole("listitem").filter({ hasText: name });
const makeGroup = (name, description = "") =>
  api.send("POST", "/api/core/groups", { name, description });

describe("groups", () => {
  it("are created and filled by keyboard", async () => {
    const { page, faults, close } = await open();
    await page.goto("/settings/groups");
    await page.getByText("No groups yet").waitFor();
    await page.getByRole("button", { name: "Add group" }).click();
    await page.getByRole("dialog").getByLabel("Name", { exact: true }).fill("Editors");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Editors" }).waitFor();
    await page.getByText("No members yet").waitFor();

    await page.getByRole("combobox", { name: "Add a member" }).focus();
    await page.keyboard.type("hop");
    await page.getByRole("option", { name: member.name }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await row(page, member.name).waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("No members yet").waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  it("restore a removed member with Undo", async () => {
    const group = await makeGroup("Board");
    await api.send("POST", `/api/core/groups/${group.id}/members`, {
      add: [await personId(api, "Grace")],
    });
    const { page, faults, close } = await open();
    await page.goto("/settings/groups");
    await row(page, "Board").getByText("1 member").waitFor();
    await page.getByRole("link", { name: "Board" }).click();
    await page.getByRole("button", { name: `Remove ${member.name} from the group` }).click();
    await page.getByText("No members yet").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await row(page, member.name).waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  it("are renamed and deleted", async () => {
    const group = await makeGroup("Lunch", "Fridays");
    await makeGroup("Taken");
    const { page, faults, close } = await open();
    await page.goto(`/settings/groups/${group.id}`);
    const choose = async (item) => {
      await page.getByRole("button", { name: /^Actions for/ }).click();
      await page.getByRole("menuitem", { name: item }).click();
    };
    await choose("Edit name and description");
    const dialog = page.getByRole("dialog");
    const name = dialog.getByLabel("Name", { exact: true });
    await name.fill("taken");
    await page.keyboard.press("Enter");
    await dialog.getByText(/There is a group called/).waitFor();
    await name.fill("Dinner");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Dinner", level: 1 }).waitFor();
    await dialog.waitFor({ state: "detached" });

    await choose("Delete group");
    await page.getByRole("dialog").getByRole("button", { name: "Delete group" }).click();
    await page.getByText("Dinner deleted").waitFor();
    await row(page, "Taken").waitFor();
    assert.equal(await row(page, "Dinner").count(), 0);
    await page.goto(`/settings/groups/${group.id}`);
    await page.getByText("Group not found").waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  it("report a failed load and retry", async () => {
    await makeGroup("Found again");
    const { page, close } = await open();
    await page.route("**/api/core/groups?*", (route) => route.fulfill({ status: 500, body: "" }));
    await page.goto("/settings/groups");
    await page.getByText("Could not load the groups").waitFor();
    await page.unroute("**/api/core/groups?*");
    await page.getByRole("button", { name: "Retry" }).click();
    await page.getByRole("list").getByRole("link", { name: "Found again" }).waitFor();
    await close();
  });

  it("are visible to admins only", async () => {
    const { page, close } = await open({ signIn: member });
    await page.goto("/settings/groups");
    await page.getByRole("heading", { name: /permission/ }).waitFor();
    assert.equal(await page.getByRole("link", { name: "Groups" }).count(), 0);
    await close();
  });

  for (const { name: look, ...options } of looks) {
    it(`have accessible pages: ${look}`, async () => {
      const group = await makeGroup(`Readers ${look}`, "Read what is written");
      const { items } = await api.send("GET", "/api/core/people?kind=user");
      await api.send("POST", `/api/core/groups/${group.id}/members`, {
        add: items.map(({ id }) => id),
      });
      const { page, faults, close } = await open(options);
      await page.goto("/settings/groups");
      await row(page, group.name).waitFor();
      assert.deepEqual(await axeViolations(page), []);
      await page.goto(`/settings/groups/${group.id}`);
      await row(page, member.name).waitFor();
      assert.deepEqual(await axeViolations(page), []);
      assert.ok(await page.evaluate(() => document.body.scrollWidth <= window.innerWidth));
      assert.deepEqual(faults, []);
      await close();
    });
  }
});
