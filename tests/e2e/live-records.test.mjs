import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { axeViolations } from "./support/axe.mjs";
import { openWindow } from "./support/browser.mjs";
import { admin, member } from "./support/host.mjs";
import { startSite } from "./support/site.mjs";

const { host, api, browser } = await startSite({ hello: { tables: true } });

/** @type {string} */
let task;
beforeEach(async () => {
  const { items } = await api.send("GET", "/api/hello/tasks");
  for (const { id } of items) await api.send("DELETE", `/api/hello/tasks/${id}`);
  ({ id: task } = await api.send("POST", "/api/hello/tasks", { title: "Call Ada" }));
});

/** Opens the page as a user. `channels`: the event connections that are open now. */
async function visit(person, options) {
  const window = await openWindow(browser, host.url, { signIn: person, ...options });
  const channels = new Set();
  const isChannel = (request) => request.url().includes("/api/core/events");
  window.page.on("request", (request) => isChannel(request) && channels.add(request));
  window.page.on("requestfailed", (request) => channels.delete(request));
  window.page.on("requestfinished", (request) => channels.delete(request));
  await window.page.goto("/app/hello/tasks");
  await window.page.getByRole("button", { name: "Call Ada" }).waitFor();
  return { ...window, channels };
}
const titles = (page) =>
  page.getByRole("list", { name: "Tasks" }).getByRole("button").allTextContents();
const line = (page, text) => page.getByRole("listitem").filter({ hasText: text });

describe("live records", () => {
  it("show remote changes without a reload", async () => {
    const ada = await visit(admin);
    const grace = await visit(member);
    await grace.page.getByRole("button", { name: "Call Ada" }).click();
    await grace.page.getByText("Call Ada is todo").waitFor();
    await grace.page.getByRole("button", { name: "Finish" }).click();
    await line(grace.page, "Call Ada done").waitFor();
    await line(ada.page, "Call Ada done").waitFor();
    await ada.page.getByRole("button", { name: "Add" }).click();
    await line(grace.page, "New").waitFor();
    await api.send("PATCH", `/api/hello/tasks/${task}`, { title: "Zero", state: "todo" });
    await grace.page.getByText("Zero is todo").waitFor();
    await grace.page
      .getByRole("list", { name: "Tasks" })
      .getByRole("listitem")
      .first()
      .filter({ hasText: "New" })
      .waitFor();
    assert.deepEqual(await titles(grace.page), ["New", "Zero"]);
    await api.send("DELETE", `/api/hello/tasks/${task}`);
    for (const { page } of [ada, grace]) await line(page, "Zero").waitFor({ state: "detached" });
    for (const { channels, faults, close } of [ada, grace]) {
      assert.equal(channels.size, 1);
      assert.deepEqual(faults, []);
      await close();
    }
  });

  it("show changes at once and revert when refused", async () => {
    await api.send("POST", "/api/hello/tasks", { title: "Locked", locked: true });
    const { page, faults, close } = await visit(member);
    await page.getByRole("button", { name: "Locked" }).click();
    await page.getByText("Locked is todo").waitFor();
    /** @type {() => void} */
    let send = () => undefined;
    const gate = new Promise((resolve) => (send = () => resolve(undefined)));
    await page.route("**/api/hello/tasks/*", async (route) => {
      if (route.request().method() === "PATCH") await gate;
      await route.continue();
    });
    await page.getByRole("button", { name: "Finish" }).click();
    await line(page, "Locked done").waitFor();
    send();
    await line(page, "Locked todo").waitFor();
    await page
      .getByRole("region", { name: "Notifications" })
      .getByRole("button", { name: "Dismiss" })
      .waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  it("catch up after a lost connection", async () => {
    const { page, context, close } = await visit(member);
    await context.setOffline(true);
    await api.send("PATCH", `/api/hello/tasks/${task}`, { title: "Missed" });
    await context.setOffline(false);
    await line(page, "Missed").waitFor();
    await close();
  });

  it("show who is present", async () => {
    const ada = await visit(admin);
    const grace = await visit(member, { dark: true });
    for (const { page } of [ada, grace])
      await page.getByRole("button", { name: "Call Ada" }).click();
    const shown = grace.page.getByRole("group", { name: "Also here" });
    await shown.getByRole("img", { name: `${admin.name}, editing` }).waitFor();
    await ada.page.getByRole("img", { name: `${member.name}, editing` }).waitFor();
    for (const { page } of [ada, grace]) assert.deepEqual(await axeViolations(page), []);
    await ada.page.getByRole("img", { name: `${member.name}, editing` }).hover();
    await ada.page.locator(".t-tooltip", { hasText: member.name }).waitFor();
    await ada.close();
    await shown.waitFor({ state: "detached" });
    assert.deepEqual(grace.faults, []);
    await grace.close();
  });
});
