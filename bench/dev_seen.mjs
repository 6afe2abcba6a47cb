// How long `tenon dev` takes from a saved file of a page to the change in an open browser, and whether the page keeps its state.
//
//     node bench/dev_seen.mjs PREFIX [ROUNDS]
//
// PREFIX is an installation with the SDK. Creates a plugin of the template "page" in a temporary folder, opens it in Chromium, and
// saves changes of a text. Needs the packages of tests/e2e (./dev test installs them).
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { launch, openWindow } from "../tests/e2e/support/browser.mjs";

const [prefix, rounds = "15"] = process.argv.slice(2);
if (!prefix) throw new Error("Usage: node bench/dev_seen.mjs PREFIX [ROUNDS]");
const tenon = resolve(prefix, "bin/tenon");
const root = mkdtempSync(join(tmpdir(), "tenon-dev-seen-"));
const folder = join(root, "guest-book");
execFileSync(tenon, ["plugin", "new", "guest-book", "--template", "page", "--output", folder]);
const session = spawn(tenon, ["dev", folder, "--listen", "127.0.0.1:0"], {
  stdio: ["pipe", "pipe", "inherit"],
});
const ended = new Promise((resolve) => session.once("close", resolve));
const url = await new Promise((resolve, reject) => {
  void ended.then(() => reject(new Error("tenon dev ended")));
  createInterface({ input: session.stdout }).on("line", (line) => {
    const found = /(http:\S+)\/app\/guest-book/.exec(line);
    if (found) resolve(found[1]);
  });
});

const browser = await launch();
const { page } = await openWindow(browser, url, {
  signIn: { login: "ada", password: "demo-demo-demo" },
});
await page.goto("/app/guest-book");
const file = join(folder, "ui/src/guest-book-page.tsx");
let text = "No entries yet";
await page.getByText(text).waitFor();
const times = [];
for (let round = 0; round < Number(rounds); round++) {
  // The checker of types and the browser are idle again.
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const next = `No entries in round ${round}`;
  const seen = page.waitForFunction(
    (text) => document.body.innerText.includes(text) && Date.now(),
    next,
  );
  await page.evaluate(() => 0);
  const source = readFileSync(file, "utf8").replace(text, next);
  const begin = Date.now();
  writeFileSync(file, source);
  times.push((await (await seen).jsonValue()) - begin);
  text = next;
}
times.sort((a, b) => a - b);
console.log(`seen after ${times[times.length >> 1]} ms (${times[0]} to ${times.at(-1)})`);

await browser.close();
session.stdin.write("q");
await ended;
rmSync(root, { recursive: true, force: true });
