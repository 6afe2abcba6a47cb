import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { axeViolations } from "./support/axe.mjs";
import { looks, openWindow } from "./support/browser.mjs";
import { admin, binary, member } from "./support/host.mjs";
import { startSite } from "./support/site.mjs";

const plugins = join(dirname(binary), "../tests/plugins/zoo/runs_jobs");
const { host, api, browser } = await startSite({ plugins });

const open = (options) => openWindow(browser, host.url, { signIn: admin, ...options });
const row = (page, kind) =>
  page.getByRole("list", { name: "Jobs" }).getByRole("listitem").filter({ hasText: kind });
const order = (kind, payload = null, attempts = 1) =>
  api.send("POST", `/api/runs-jobs/jobs/${kind}?attempts=${attempts}`, payload);

describe("jobs", () => {
  it("show progress, can be cancelled and retried", async () => {
    const { page, faults, close } = await open();
    await page.goto("/settings/jobs?plugin=runs-jobs");
    await order("waits");
    await row(page, "waits").getByText("Running").waitFor();
    await page.getByRole("button", { name: "Cancel waits" }).click();
    await row(page, "waits").getByText("Cancelled").waitFor();
    await page.getByRole("button", { name: "Retry waits" }).click();
    await row(page, "waits").getByText("Running").waitFor();
    await page.getByRole("button", { name: "Cancel waits" }).click();
    await row(page, "waits").getByText("Cancelled").waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  it("can be cancelled while waiting, with Undo", async () => {
    await order("tomorrow", null, 2);
    const { page, faults, close } = await open();
    await page.goto("/settings/jobs?state=waiting&plugin=runs-jobs");
    await page.getByRole("button", { name: "Cancel tomorrow" }).click();
    await row(page, "tomorrow").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Undo" }).click();
    await row(page, "tomorrow").getByText("Waiting").waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  it("show error and payload after a failure", async () => {
    await order("fails", { to: "grace", "<b>": 1 });
    const { page, faults, close } = await open();
    await page.goto("/settings/jobs?state=failed");
    await row(page, "fails").getByText("hopeless").waitFor();
    await page.getByRole("link", { name: "fails" }).click();
    await page.getByRole("alert").getByText("hopeless").waitFor();
    const payload = page.getByLabel("Payload").and(page.locator("pre"));
    assert.deepEqual(JSON.parse(await payload.innerText()), { to: "grace", "<b>": 1 });
    assert.deepEqual(await axeViolations(page), []);
    await page.goBack();
    await row(page, "fails").waitFor();
    assert.equal(await page.getByLabel("State").inputValue(), "failed");
    assert.deepEqual(faults, []);
    await close();
  });

  it("are filtered through the address", async () => {
    await order("fails");
    const { page, faults, close } = await open();
    await page.goto("/settings/jobs");
    await page.getByLabel("Plugin").selectOption("runs-jobs");
    await page.getByLabel("State").selectOption("done");
    await page.waitForURL((url) => url.search === "?plugin=runs-jobs&state=done");
    await row(page, "fails").first().waitFor({ state: "detached" }); // none is left
    await page.goto("/settings/jobs?plugin=gone");
    await page.getByText("No jobs match the filters").waitFor();
    assert.equal(await page.getByLabel("Plugin").inputValue(), "gone");
    await page.getByRole("button", { name: "Show all jobs" }).click();
    await row(page, "fails").first().waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  it("load in pages", async () => {
    for (let number = 0; number < 60; ++number) await order("count", 1);
    const { page, faults, close } = await open();
    await page.goto("/settings/jobs?plugin=runs-jobs");
    // A job of the plugin's schedule, which comes each minute, may be among them.
    await row(page, "").nth(49).waitFor();
    const before = await row(page, "").count();
    await page.getByRole("button", { name: "Show older jobs" }).click();
    await row(page, "").nth(before).waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  it("report a failed load and retry", async () => {
    await order("count", 1);
    const { page, close } = await open();
    // What changes would be read by itself, before the click.
    await page.route("**/api/core/events*", (route) => route.abort());
    await page.route("**/api/core/jobs*", (route) => route.fulfill({ status: 500, body: "" }));
    await page.goto("/settings/jobs");
    await page.getByText("Could not load the jobs").waitFor();
    await page.unroute("**/api/core/jobs*");
    await page.getByRole("button", { name: "Retry", exact: true }).click();
    await row(page, "").first().waitFor();
    await page.goto("/settings/jobs/none");
    await page.getByText("Job not found").waitFor();
    await close();
  });

  it("are visible to admins only", async () => {
    const { page, close } = await open({ signIn: member });
    await page.goto("/settings/jobs");
    await page.getByRole("heading", { name: /permission/ }).waitFor();
    await close();
  });

  for (const { name: look, ...options } of looks) {
    it(`have accessible pages: ${look}`, async () => {
      await order("fails");
      const { page, faults, close } = await open(options);
      await page.goto("/settings/jobs?plugin=runs-jobs");
      await row(page, "").first().waitFor();
      assert.deepEqual(await axeViolations(page), []);
      assert.ok(await page.evaluate(() => document.body.scrollWidth <= window.innerWidth));
      assert.deepEqual(faults, []);
      await close();
    });
  }
});
