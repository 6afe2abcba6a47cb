import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { after, describe, it } from "node:test";
import { axeViolations } from "./support/axe.mjs";
import { launch, looks, openWindow } from "./support/browser.mjs";
import { binary, env, startHost } from "./support/host.mjs";
import { eventually, waitTimeout } from "./support/wait.mjs";

const root = await mkdtemp(join(tmpdir(), "tenon-dev-"));
const folder = join(root, "links");

const page = (heading, more = "") => `import { definePlugin } from "@tenon/host";
import { Page } from "@tenon/ui";

const Links = () => <Page title="${heading}"><input aria-label="Filter" />${more}</Page>;

export default definePlugin({
  id: "links",
  routes: [
    { index: true, page: Links },
    { path: "counter", load: () => import("./counter.tsx") },
  ],
});
`;
const counter = (heading, more = "") => `import { Page } from "@tenon/ui";
import { useState } from "react";

export default function Counter() {
  const [count, setCount] = useState(0);
  ${more}
  return (
    <Page title="${heading}">
      <button onClick={() => setCount(count + 1)}>Count {count}</button>
      <input aria-label="Comment" />
    </Page>
  );
}
`;
const table = (name) => ({
  name: "links",
  publish: true,
  rules: { read: "true", create: "true" },
  fields: [{ name, type: "text", required: true }],
});
const write = (name, content) =>
  writeFile(
    join(folder, name),
    typeof content === "string" ? content : JSON.stringify(content, null, 2),
  );

await mkdir(join(folder, "ui/src"), { recursive: true });
await write("plugin.json", {
  id: "links",
  name: "Links",
  version: "1.0.0",
  ui: { navigation: [{ id: "links", title: "Links", path: "/app/links" }] },
});
await write("tables.json", { tables: [table("url")] });
await write("ui/package.json", { name: "links-ui", private: true, type: "module" });
await write("ui/tenon-ui.config.ts", 'export default { id: "links" };\n');
await write("ui/tsconfig.json", {
  compilerOptions: {
    target: "ES2023",
    lib: ["ES2023", "DOM", "DOM.Iterable"],
    module: "ESNext",
    moduleResolution: "Bundler",
    jsx: "react-jsx",
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    types: [],
  },
  include: ["src"],
});
await write("ui/src/css.d.ts", 'declare module "*.css";\n');
await write("ui/src/index.tsx", page("My links"));
await write("ui/src/counter.tsx", counter("Counter"));
// The packages of this tree instead of those that npm installs.
await symlink(resolve("shell-ui/node_modules"), join(folder, "ui/node_modules"));

/** Starts `tenon dev`; `lines` are those of its output so far. */
async function startDev() {
  const lines = [];
  const session = spawn(binary, ["dev", folder, "--listen", "127.0.0.1:0"], {
    stdio: ["pipe", "pipe", "inherit"],
    env,
  });
  const ended = new Promise((resolve) => session.once("close", resolve));
  const url = await new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(lines.join("\n"))), waitTimeout);
    void ended.then((code) => reject(new Error(`ended with ${code}:\n${lines.join("\n")}`)));
    createInterface({ input: session.stdout }).on("line", (line) => {
      lines.push(line);
      const found = /(http:\S+)\/app\/links/.exec(line);
      if (found) clearTimeout(late);
      if (found) resolve(found[1]);
    });
  });
  return {
    url,
    lines,
    press: (key) => session.stdin.write(key),
    async quit() {
      session.stdin.write("q");
      assert.equal(await ended, 0, lines.join("\n"));
    },
  };
}

const browser = await launch();
const dev = await startDev();
after(async () => {
  await browser.close();
  await dev.quit();
  await rm(root, { recursive: true, force: true });
});
const signIn = { login: "ada", password: "demo-demo-demo" };
const heading = (page, name) => page.getByRole("heading", { name, exact: true });

describe("tenon dev", () => {
  it("shows a saved page without a reload", async () => {
    const { page: tab, faults, close } = await openWindow(browser, dev.url, { signIn });
    await tab.goto("/app/links");
    await heading(tab, "My links").waitFor();
    await tab.evaluate(() => (window.isSameDocument = true));
    await write("ui/src/index.tsx", page("Our links"));
    await heading(tab, "Our links").waitFor();
    assert.equal(await tab.evaluate(() => window.isSameDocument), true);
    assert.deepEqual(faults, []);
    await close();
  });

  it("keeps the state of a changed page", async () => {
    const { page: tab, faults, close } = await openWindow(browser, dev.url, { signIn });
    await tab.goto("/app/links/counter");
    await tab.getByRole("button", { name: "Count 0" }).click();
    const comment = tab.getByLabel("Comment");
    await comment.fill("typed");
    const expectState = async () => {
      await tab.getByRole("button", { name: "Count 1" }).waitFor();
      assert.equal(await comment.inputValue(), "typed");
      assert.ok(await comment.evaluate((field) => field === document.activeElement));
    };
    await write("ui/src/counter.tsx", counter("Changed"));
    await heading(tab, "Changed").waitFor();
    await expectState();
    // The browser has evaluated this text before.
    await write("ui/src/counter.tsx", counter("Counter"));
    await heading(tab, "Counter").waitFor();
    await expectState();
    await write("ui/src/counter.tsx", counter("Counter", "<p>"));
    const overlay = tab.getByRole("alert", { name: "The page does not build" });
    await overlay.waitFor();
    await expectState();
    await write("ui/src/counter.tsx", counter("Fixed"));
    await overlay.waitFor({ state: "detached" });
    await heading(tab, "Fixed").waitFor();
    await expectState();
    assert.deepEqual(faults, []);
    await close();
  });

  it("mounts a component whose hooks changed", async () => {
    const { page: tab, faults, close } = await openWindow(browser, dev.url, { signIn });
    await tab.goto("/app/links/counter");
    await tab.getByRole("button", { name: "Count 0" }).click();
    await tab.getByRole("button", { name: "Count 1" }).waitFor();
    await write("ui/src/counter.tsx", counter("With a hook", "useState(true);"));
    await heading(tab, "With a hook").waitFor();
    await tab.getByRole("button", { name: "Count 0" }).waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  it("leaves other servers without refresh", async () => {
    const development = await (await fetch(dev.url)).text();
    const [runtime] = /\/ui\/development\/react-refresh\.\w+\.js/.exec(development);
    assert.equal((await fetch(dev.url + runtime)).status, 200);
    const host = await startHost();
    const production = await (await fetch(host.url)).text();
    assert.match(production, /<script type="importmap">/);
    assert.doesNotMatch(production, /development|refresh/);
    assert.equal((await fetch(host.url + runtime)).status, 404);
    await host.stop();
  });

  for (const { name, ...look } of looks) {
    it(`shows a failed build over the page (${name})`, async () => {
      const { page: tab, close } = await openWindow(browser, dev.url, { signIn, ...look });
      await tab.goto("/app/links");
      await heading(tab, "Our links").waitFor();
      await write("ui/src/index.tsx", page("Our links", "<p>"));
      const overlay = tab.getByRole("alert", { name: "The page does not build" });
      await overlay.getByText(/src\/index\.tsx:4:\d+/).waitFor();
      assert.deepEqual(await axeViolations(tab), []);
      if (process.env.SHOTS)
        await tab.screenshot({ path: join(process.env.SHOTS, `dev-overlay-${name}.png`) });
      // A page that is opened now shows it, too.
      await tab.reload();
      await overlay.waitFor();
      await write("ui/src/index.tsx", page("Our links"));
      await overlay.waitFor({ state: "detached" });
      await close();
    });
  }

  it("shows wrong types over the page", async () => {
    const { page: tab, close } = await openWindow(browser, dev.url, { signIn });
    await tab.goto("/app/links");
    await heading(tab, "Our links").waitFor();
    await write("ui/src/index.tsx", page("Our links", "{(1).toUpperCase()}"));
    const overlay = tab.getByRole("alert", { name: "The types do not fit" });
    await overlay.getByText(/src\/index\.tsx\(4,\d+\): error TS2339/).waitFor();
    await write("ui/src/index.tsx", page("Our links"));
    await overlay.waitFor({ state: "detached" });
    await close();
  });

  it("signs open pages in as another user", async () => {
    const { page: tab, context, close } = await openWindow(browser, dev.url, { signIn });
    await tab.goto("/app/links");
    await heading(tab, "Our links").waitFor();
    await tab.evaluate(() => (window.isSameDocument = true));
    const login = async () =>
      (await (await context.request.get("/api/core/shell")).json()).user?.login;
    assert.equal(await login(), "ada");
    dev.press("u");
    await tab.waitForFunction(() => !window.isSameDocument);
    await heading(tab, "Our links").waitFor();
    assert.equal(await login(), "ben");
    await close();
    // After the page is closed: it would take the events one by one, and the page of the next test the rest.
    dev.press("uu");
    await eventually(
      () => dev.lines.findLast((line) => line.includes("sign in as")),
      (line) => line?.includes("ada"),
    );
  });

  for (const { name, ...look } of looks) {
    it(`opens the inspector (${name})`, async () => {
      const {
        page: tab,
        context,
        faults,
        close,
      } = await openWindow(browser, dev.url, { signIn, ...look });
      await tab.goto("/app/links");
      await heading(tab, "Our links").waitFor();
      const add = (url) => context.request.post("/api/links/links", { data: { url } });
      assert.equal((await add(`first-${name}`)).status(), 201);
      dev.press("w");
      await heading(tab, "Inspector").waitFor();
      await tab.getByRole("row", { name: /POST \/api\/links\/links \d/ }).waitFor();
      await tab.getByRole("cell", { name: `first-${name}` }).waitFor();
      const events = tab.getByRole("list", { name: "Events of links.links" });
      for (let number = 0; !(await events.isVisible()); number++) {
        assert.equal((await add(`next-${name}-${number}`)).status(), 201);
        await new Promise((resolve) => setTimeout(resolve, 40));
      }
      if (name === "light" || process.env.SHOTS) {
        // The second reading draws the chart.
        const points = tab.getByRole("slider", { name: "Points of Requests per second" });
        await points.focus();
        await points.press("End");
        await tab.getByText(/^Requests per second\d/).waitFor();
      }
      const requests = tab.getByRole("group", { name: "Requests", exact: true });
      const request = requests.getByRole("row", { name: /201 ada/ }).first();
      await request.getByText("POST /api/links/links").click();
      await request
        .getByText(/INSERT INTO/)
        .first()
        .waitFor();
      await tab
        .getByRole("row", { name: /^INSERT INTO/ })
        .first()
        .waitFor();
      const access = tab.getByRole("group", { name: "Access" });
      await access.getByRole("row", { name: /^update no none There is no rule/ }).waitFor();
      await tab.getByLabel("User").selectOption("ben");
      await access.getByRole("row", { name: /^create yes true/ }).waitFor();
      assert.deepEqual(await axeViolations(tab), []);
      assert.deepEqual(faults, []);
      if (process.env.SHOTS)
        await tab.screenshot({
          path: join(process.env.SHOTS, `inspector-${name}.png`),
          fullPage: true,
        });
      await close();
    });
  }

  it("loads changes made while a build failed", async () => {
    const { page: tab, context, close } = await openWindow(browser, dev.url, { signIn });
    await tab.goto("/app/links");
    await heading(tab, "Our links").waitFor();
    await write("ui/src/index.tsx", page("Our links", "<p>"));
    const overlay = tab.getByRole("alert", { name: "The page does not build" });
    await overlay.waitFor();
    const note = { name: "note", type: "text" };
    await write("tables.json", {
      tables: [{ ...table("url"), fields: [...table("url").fields, note] }],
    });
    await write("ui/src/index.tsx", page("Our links"));
    await overlay.waitFor({ state: "detached" });
    const made = await context.request.post("/api/links/links", { data: { url: "x", note: "n" } });
    assert.equal(made.status(), 201);
    await close();
  });

  it("resets data that a change would lose", async () => {
    const { page: tab, context, close } = await openWindow(browser, dev.url, { signIn });
    await tab.goto("/app/links");
    await heading(tab, "Our links").waitFor();
    const add = (data) => context.request.post("/api/links/links", { data });
    assert.equal((await add({ url: "a" })).status(), 201);
    await write("tables.json", { tables: [table("address")] });
    const overlay = tab.getByRole("alert", { name: "The plugin was not loaded" });
    await overlay.getByText(/links\.url: the field is not declared any more/).waitFor();
    await overlay.getByRole("button", { name: "Close" }).click();
    await overlay.waitFor({ state: "detached" });
    assert.equal((await add({ url: "b" })).status(), 201);
    dev.press("r");
    await heading(tab, "Our links").waitFor();
    for (;;) {
      const made = await add({ address: "c" });
      if (made.status() === 201) break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const { items } = await (await context.request.get("/api/links/links")).json();
    assert.deepEqual(
      items.map((item) => item.address),
      ["c"],
    );
    await close();
  });
});
