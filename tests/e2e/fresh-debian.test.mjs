import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, it } from "node:test";
import { isFull, launch, openWindow } from "./support/browser.mjs";
import { eventually } from "./support/wait.mjs";

// A Debian with a compiler, Node and the installed SDK, without this tree: tools/dev/debian.sh makes it.
const root = resolve("build/debian");
const folder = join(root, "home/author/guest-book");
const whyNot = () => {
  if (!isFull) return "it takes minutes: ./dev test --full";
  if (!existsSync(join(root, ".stamp")))
    return "build/debian is missing: that needs root and debootstrap";
  return false;
};

/** Runs a command in the root; its mounts end with it. npm's cache and the certificates are those of this machine. */
function inRoot(command, options = {}) {
  const mounts = [
    `mount -t proc proc ${root}/proc`,
    `mount --bind /dev ${root}/dev`,
    `mount --bind /etc/ssl/certs ${root}/etc/ssl/certs`,
    `mkdir -p ${root}/npm-cache`,
    `mkdir -p ${homedir()}/.npm`,
    `mount --bind ${homedir()}/.npm ${root}/npm-cache`,
  ].join(" && ");
  const environment = [
    "PATH=/opt/tenon/bin:/opt/node/bin:/usr/bin:/bin",
    "HOME=/home/author",
    "LC_ALL=C.UTF-8",
    "NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt",
    "npm_config_cache=/npm-cache",
    "npm_config_prefer_offline=true",
  ].join(" ");
  const script = `${mounts} && exec chroot ${root} env -i ${environment} bash -c "cd /home/author && $0"`;
  return spawn("unshare", ["--mount", "--kill-child", "--fork", "bash", "-c", script, command], {
    stdio: ["pipe", "pipe", "inherit"],
    ...options,
  });
}

async function run(command) {
  const child = inRoot(command);
  let output = "";
  child.stdout.on("data", (text) => (output += text));
  const code = await new Promise((end) => child.once("close", end));
  assert.equal(code, 0, `${command}\n${output}`);
  return output;
}

async function change(name, from, to) {
  const path = join(folder, name);
  const text = await readFile(path, "utf8");
  assert.ok(text.includes(from), `${name} has ${from}`);
  await writeFile(path, text.replace(from, to));
}

describe("a fresh Debian with the installed SDK", { skip: whyNot() }, () => {
  let browser, dev, ended, url;
  const lines = [];
  let onLine = (_line) => {};
  /** Waits for the next line of `tenon dev` that matches; only the test's own time limits it, as g++ may be slow. */
  const nextLine = (pattern) =>
    new Promise((found) => (onLine = (line) => pattern.test(line) && found(line)));

  before(async () => {
    const build = resolve(process.env.DEV_BUILD ?? "build/dev");
    await rm(join(root, "opt/tenon"), { recursive: true, force: true });
    await rm(join(root, "home/author"), { recursive: true, force: true });
    await mkdir(join(root, "home/author"));
    for (const component of ["host", "sdk"]) {
      const prefix = ["--component", component, "--prefix", join(root, "opt/tenon")];
      execFileSync("cmake", ["--install", build, ...prefix], { stdio: "ignore" });
    }
    assert.ok(!existsSync(join(root, process.cwd())), "the root has no part of this tree");
    await run("tenon plugin new guest-book");
    dev = inRoot("exec tenon dev guest-book --listen 127.0.0.1:0 2>&1");
    ended = new Promise((end) => dev.once("close", end));
    url = await new Promise((found, failed) => {
      void ended.then((code) => failed(new Error(`ended with ${code}:\n${lines.join("\n")}`)));
      createInterface({ input: dev.stdout }).on("line", (line) => {
        lines.push(line);
        onLine(line);
        const match = /(http:\S+)\/app\/guest-book/.exec(line);
        if (match) found(match[1]);
      });
    });
    browser = await launch();
  });

  after(async () => {
    await browser?.close();
    dev?.stdin.write("q");
    assert.equal(await ended, 0, lines.join("\n"));
  });

  const signIn = { login: "ada", password: "demo-demo-demo" };

  it("runs a new plugin and shows changes", async () => {
    const { page, context, faults, close } = await openWindow(browser, url, { signIn });
    await page.goto("/app/guest-book");
    await page.getByLabel("Your entry").fill("Ada was here");
    await page.getByRole("button", { name: "Sign" }).click();
    await page.getByText("Ada was here").waitFor();
    await page.evaluate(() => (window.isSameDocument = true));

    await change("ui/src/guest-book-page.tsx", 'title="Guest book"', 'title="Our guests"');
    await page.getByRole("heading", { name: "Our guests" }).waitFor();
    assert.equal(await page.evaluate(() => window.isSameDocument), true);

    const loaded = nextLine(/loaded in \d+ ms/);
    await change("src/guest_book.cpp", "The entry is blank.", "The entry is empty.");
    await loaded;
    const blank = await context.request.post("/api/guest-book/guests", { data: { text: " " } });
    assert.match((await blank.json()).detail, /^The entry is empty\./);
    assert.deepEqual(faults, []);
    await close();
  });

  it("shows failed builds and resets data", async () => {
    const { page, context, close } = await openWindow(browser, url, { signIn });
    await page.goto("/app/guest-book");
    await page.getByText("Ada was here").waitFor();
    await change("ui/src/guest-book-page.tsx", "<Entries />", "<Entries>");
    const overlay = page.getByRole("alert", { name: "The page does not build" });
    await overlay.getByText(/guest-book-page\.tsx:\d+/).waitFor();
    await change("ui/src/guest-book-page.tsx", "<Entries>", "<Entries />");
    await overlay.waitFor({ state: "detached" });

    const failed = nextLine(/guest_book\.cpp:\d+:\d+: error/);
    await change("src/guest_book.cpp", "database().json_rows(", "database().json_row(");
    await failed;
    await page
      .getByRole("alert")
      .getByText(/guest_book\.cpp:\d+/)
      .first()
      .waitFor();
    const loaded = nextLine(/loaded in \d+ ms/);
    await change("src/guest_book.cpp", "database().json_row(", "database().json_rows(");
    await loaded;
    await page.getByRole("alert").waitFor({ state: "detached" });

    const count = async () =>
      (await (await context.request.get("/api/guest-book/entries")).json()).items.length;
    assert.equal(await count(), 1);
    dev.stdin.write("r");
    await eventually(count, 0);
    await page.getByText("No entries yet").waitFor();
    await close();
  });
});
