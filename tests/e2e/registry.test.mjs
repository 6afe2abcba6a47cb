import assert from "node:assert/strict";
import { afterEach, before, describe, it } from "node:test";
import { axeViolations } from "./support/axe.mjs";
import { looks, openWindow } from "./support/browser.mjs";
import { admin } from "./support/host.mjs";
import { startRegistry, startSite } from "./support/site.mjs";

const registry = await startRegistry();
const { host, api, browser } = await startSite({ environment: registry.environment });
const shots = process.env.SHOTS;
const open = (options) => openWindow(browser, host.url, { signIn: admin, ...options });
const card = (page, name) =>
  page
    .getByRole("list", { name: "Registry plugins" })
    .getByRole("listitem")
    .filter({ has: page.getByRole("heading", { name, exact: true }) });
const refresh = () => api.send("POST", "/api/core/registry/refresh", {});
const browse = "/settings/plugins?tab=browse";

const narrow = (page, what) =>
  page.getByRole("group", { name: "Show" }).getByText(what, { exact: true }).click();

/** Nothing that axe would name, when what fades in is there. */
async function look(page, name) {
  assert.deepEqual(await axeViolations(page), []);
  if (shots) await page.screenshot({ path: `${shots}/${name}.png` });
}

/** Pictures of a page that could be the plugin's. */
async function pictures() {
  const page = await browser.newPage({ viewport: { width: 960, height: 600 } });
  const taken = [];
  for (const [colour, title] of [
    ["#eef0ff", "Where shall we eat on Friday?"],
    ["#e9f7ef", "Results: 12 of 14 have voted"],
  ]) {
    await page.setContent(
      `<body style="margin:0;background:${colour};font:20px sans-serif"><main style="margin:48px;padding:32px;background:#fff;border-radius:12px">
       <h1>${title}</h1>${"<p style='padding:16px;border:1px solid #ddd;border-radius:8px'>An option that people can choose</p>".repeat(4)}</main></body>`,
    );
    taken.push(await page.screenshot());
  }
  await page.close();
  return taken;
}

const changelog = `# Changes
## 1.1.0
- Polls can **end by themselves** on a day that is chosen
- Votes are counted while people give them
- \`polls.manage\` lets moderators close a poll

## 1.0.0
The first version.
`;
const polls = {
  name: "Polls",
  description: "Ask a question, collect votes, and decide together without a meeting.",
  author: "Acme Gardens",
  license: "MIT",
  icon: "vote",
};

before(async () => {
  const [one, two] = await pictures();
  const acme = await registry.key("acme");
  await api.send("POST", "/api/core/keys", { key: acme, name: "Acme Gardens" });
  await registry.put("polls", "1.0.0", {
    ...polls,
    files: {
      "CHANGELOG.md": changelog,
      "screenshots/1.png": one,
      "screenshots/2.png": two,
    },
  });
  await registry.put("sites", "1.0.0", {
    name: "Sites",
    icon: "building",
    description: "Buildings, floors and who has the keys.",
    author: "Acme Gardens",
  });
  await registry.put("rooms", "1.0.0", {
    name: "Rooms",
    icon: "door-open",
    description: "Meeting rooms with what is in them, and when they are free.",
    author: "Acme Gardens",
    requires: { sites: "^1.0" },
  });
  await registry.put("desks", "1.0.0", {
    name: "Desk booking",
    icon: "lamp-desk",
    description: "A desk for the day you come in, near those you work with.",
    author: "Acme Gardens",
    requires: { rooms: "^1.0" },
  });
  await registry.put("hours", "1.0.0", {
    name: "Timesheets",
    icon: "timer",
    description: "Hours by project and week, with what is still to be approved.",
    author: "Bolt & Sons",
    signer: "bolt",
  });
  await registry.put("bills", "1.0.0", {
    name: "Invoices",
    icon: "receipt",
    description: "Bills from what was worked, numbered and sent.",
    author: "Acme Gardens",
    requires: { taxes: "^2.0" },
  });
  await registry.build();
  await refresh();
});

afterEach(async () => {
  registry.behave(null);
  for (const id of ["desks", "rooms", "sites", "polls", "hours"]) {
    const { items } = await api.send("GET", "/api/core/plugins");
    if (items.some((plugin) => plugin.id === id))
      await api.send("DELETE", `/api/core/plugins/${id}?data=purge`);
  }
  await refresh();
});

describe("registry", () => {
  it("can be browsed, searched and filtered", async () => {
    const { page, faults, close } = await open();
    await page.goto("/settings/plugins");
    await page.getByRole("tab", { name: "Browse" }).click();
    await card(page, "Polls").getByText("Ask a question").waitFor();
    await card(page, "Timesheets").getByText("Unknown publisher").waitFor();
    await card(page, "Invoices").getByText("Requires a missing plugin").waitFor();
    await card(page, "Desk booking").getByText("Requires Sites, Rooms").waitFor();
    await look(page, "browse");
    await page.getByRole("searchbox", { name: "Search the registry" }).fill("meeting");
    await card(page, "Desk booking").waitFor({ state: "detached" });
    await card(page, "Rooms").waitFor();
    await page.reload();
    await card(page, "Rooms").waitFor();
    assert.equal(await card(page, "Sites").count(), 0, "the address keeps what was searched for");
    await page.getByRole("searchbox").fill("nothing is called so");
    await page.getByText("No results for “nothing is called so”").waitFor();
    await look(page, "browse-nothing");
    await page.getByRole("button", { name: "Show all" }).click();
    await card(page, "Timesheets").waitFor();
    await narrow(page, "Installable");
    await card(page, "Timesheets").waitFor({ state: "detached" });
    await card(page, "Sites").waitFor();
    await narrow(page, "Upgrades");
    await page.getByText("Everything is up to date").waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  it("shows a plugin with its screenshots", async () => {
    const { page, faults, close } = await open();
    const elsewhere = [];
    page.on("request", (request) => {
      if (request.url().startsWith(registry.url)) elsewhere.push(request.url());
    });
    await page.goto(browse);
    await card(page, "Polls").getByRole("link", { name: "Polls" }).click();
    await page.getByRole("heading", { name: "Polls", level: 1 }).waitFor();
    const picture = page.getByRole("img", { name: "Polls, screenshot 1 of 2" });
    await page.waitForFunction(
      (image) => image.naturalWidth === 960,
      await picture.elementHandle(),
    );
    await page.getByText("The first version.").waitFor();
    await page.getByText("polls.use").first().waitFor();
    await look(page, "plugin");
    await page.getByRole("button", { name: "Polls, screenshot 2 of 2" }).press("Enter");
    await page.getByRole("dialog").getByRole("img").waitFor();
    await look(page, "plugin-picture");
    await page.keyboard.press("Escape");
    await page.goto("/settings/plugins/browse/bills");
    await page
      .getByText(/It requires taxes \^2\.0; it is not installed/)
      .first()
      .waitFor();
    assert.equal(await page.getByRole("button", { name: /^Install/ }).count(), 0);
    await look(page, "plugin-refused");
    await page.goto("/settings/plugins/browse/unknown");
    await page.getByText("Plugin not found").waitFor();
    assert.deepEqual([...elsewhere, ...faults], []);
    await close();
  });

  it("installs a plugin and upgrades it", async () => {
    const { page, faults, close } = await open();
    await page.goto(browse);
    await card(page, "Polls").getByRole("button", { name: "Install Polls" }).press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Acme Gardens").waitFor();
    await dialog.getByText("polls.use").waitFor();
    await look(page, "plan");
    await dialog.getByRole("button", { name: "Install", exact: true }).click();
    await page.getByText("Polls 1.0.0 installed").waitFor();
    await card(page, "Polls").getByText("1.0.0 installed").waitFor();
    assert.equal((await api.send("GET", "/api/core/plugins/polls")).state, "active");

    const manage = { id: "polls.manage", title: "Close polls of others", roles: ["admin"] };
    const use = { id: "polls.use", title: "Ask and vote", roles: ["admin", "member"] };
    await registry.put("polls", "1.1.0", {
      ...polls,
      permissions: [use, manage],
      files: { "CHANGELOG.md": changelog },
    });
    await registry.build();
    await page.getByRole("button", { name: "Refresh the registry" }).click();
    await page.getByRole("tab", { name: "Browse 1 upgrade" }).waitFor();
    await narrow(page, "Upgrades");
    await card(page, "Polls").waitFor();
    await look(page, "browse-upgrade");
    await page.getByRole("tab", { name: "Plugins" }).click();
    await look(page, "list-upgrade");
    await page.getByRole("link", { name: "1.1.0 of Polls is available" }).click();
    await page.getByText("end by themselves").waitFor();
    await look(page, "plugin-upgrade");
    await page.getByRole("button", { name: "Upgrade to 1.1.0" }).click();
    for (const box of await untilSome(dialog.getByRole("checkbox"))) await box.check();
    await dialog.getByRole("button", { name: "Upgrade to 1.1.0" }).click();
    await page.getByText("Polls upgraded to 1.1.0").waitFor();
    await page.getByText("1.1.0 installed").waitFor();
    assert.equal((await api.send("GET", "/api/core/plugins/polls")).version, "1.1.0");
    assert.deepEqual(faults, []);
    await close();
  });

  it("installs required plugins first", async () => {
    const { page, faults, close } = await open();
    await page.goto("/settings/plugins/browse/desks");
    await page.getByText("Sites 1.0.0, then Rooms 1.0.0").waitFor();
    await page.getByRole("main").getByRole("button", { name: "Install", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("heading", { name: "Install Sites" }).waitFor();
    await dialog.getByText("Desk booking requires other plugins, which are installed first.").waitFor();
    await dialog.getByRole("button", { name: "Install and continue" }).click();
    await dialog.getByRole("heading", { name: "Install Rooms" }).waitFor();
    await dialog.getByText("Signed by").waitFor();
    await look(page, "plan-second");
    await dialog.getByRole("button", { name: "Install and continue" }).click();
    await dialog.getByRole("heading", { name: "Install Desk booking" }).waitFor();
    await dialog.getByRole("button", { name: "Install", exact: true }).click();
    await page.getByText("Desk booking 1.0.0 installed").waitFor();
    for (const id of ["sites", "rooms", "desks"])
      assert.equal((await api.send("GET", `/api/core/plugins/${id}`)).state, "active");
    assert.deepEqual(faults, []);
    await close();
  });

  it("offers to trust an unknown publisher", async () => {
    const bolt = await registry.key("bolt");
    const { page, faults, close } = await open();
    await page.goto(browse);
    await card(page, "Timesheets").getByRole("button", { name: "Install Timesheets" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Unknown publisher").waitFor();
    await dialog.getByRole("button", { name: "Trust this key…" }).click();
    await dialog.getByLabel("Public key").fill(bolt);
    await dialog.getByLabel("Publisher").fill("Bolt & Sons");
    await dialog.getByRole("button", { name: "Trust key" }).click();
    await dialog.getByRole("button", { name: "Install", exact: true }).click();
    await page.getByText("Timesheets 1.0.0 installed").waitFor();
    const { items } = await api.send("GET", "/api/core/keys");
    const { number } = items.find(({ name }) => name === "Bolt & Sons");
    await api.send("DELETE", `/api/core/keys/${number}`);
    assert.deepEqual(faults, []);
    await close();
  });
});

describe("faulty registry", () => {
  it("shows progress and can be cancelled", async () => {
    let given;
    const isGivenUp = new Promise((resolve) => (given = resolve));
    registry.behave((path, response) => {
      if (!path.endsWith(".tenon")) return false;
      response.writeHead(200);
      response.write("x");
      response.once("close", given);
      return true;
    });
    const { page, faults, close } = await open();
    await page.goto(browse);
    await card(page, "Polls").getByRole("button", { name: "Install Polls" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("progressbar", { name: "Downloading Polls 1.1.0" }).waitFor();
    await look(page, "fetching");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "hidden" });
    await isGivenUp;
    assert.deepEqual(faults, []);
    await close();
  });

  it("reports a rejected download and retries", async () => {
    registry.behave((path, response) => {
      if (!path.endsWith(".tenon")) return false;
      response.end("something else");
      return true;
    });
    const { page, faults, close } = await open();
    await page.goto(browse);
    await card(page, "Polls").getByRole("button", { name: "Install Polls" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(/The index says that it has \d+ bytes/).waitFor();
    await look(page, "damaged");
    registry.behave(null);
    await dialog.getByRole("button", { name: "Try again" }).click();
    await dialog.getByRole("button", { name: "Install", exact: true }).waitFor();
    await page.keyboard.press("Escape");
    assert.deepEqual(faults, []);
    await close();
  });

  it("shows the last valid list", async () => {
    registry.behave((_path, response) => Boolean(response.writeHead(503).end()));
    await refresh();
    const { page, faults, close } = await open();
    await page.goto(browse);
    await page.getByText("The registry cannot be reached").waitFor();
    await page.getByText(/This is the last valid list, loaded/).waitFor();
    await card(page, "Polls").waitFor();
    await look(page, "unreachable");
    registry.behave(null);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("The registry cannot be reached").waitFor({ state: "detached" });
    assert.deepEqual(faults, []);
    await close();
  });
});

describe("missing registry", () => {
  it("shows how to configure one", async () => {
    const { host: other } = await startSite();
    const { page, faults, close } = await openWindow(browser, other.url, { signIn: admin });
    await page.goto(browse);
    await page.getByText("No registry configured").waitFor();
    await page.getByText("registry.url =").waitFor();
    await look(page, "none");
    assert.deepEqual(faults, []);
    await close();
  });
});

describe("registry pages", () => {
  // The tests above look at them in light.
  for (const { name, ...options } of looks.filter(({ name }) => name !== "light")) {
    it(`are accessible: ${name}`, async () => {
      const shot = (part) => `${name}-${part}`;
      const { page, faults, close } = await open(options);
      await page.goto(browse);
      await card(page, "Polls").waitFor();
      await look(page, shot("browse"));
      await page.goto("/settings/plugins/browse/polls");
      await page.getByRole("heading", { name: "Versions" }).waitFor();
      await look(page, shot("plugin"));
      await page.getByText("1.0.0", { exact: true }).first().scrollIntoViewIfNeeded();
      await page.goto("/settings/plugins/browse/desks");
      await page.getByRole("main").getByRole("button", { name: "Install", exact: true }).click();
      await page.getByRole("dialog").getByText("Signed by").waitFor();
      await look(page, shot("plan"));
      assert.deepEqual(faults, []);
      assert.equal(
        await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth),
        false,
      );
      await close();
    });
  }
});

/** All that a locator finds, when there is one. */
async function untilSome(locator) {
  await locator.first().waitFor();
  return locator.all();
}
