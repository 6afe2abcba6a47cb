import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Rebuilder } from "../src/plugin-build.ts";

const modules = fileURLToPath(new URL("../../../node_modules", import.meta.url));
let root = "";

const write = (name: string, text: string) => writeFile(join(root, name), text);
const read = (name: string) => readFile(join(root, "dist", name), "utf8");
const page = (text: string) => `import { useState } from "react";
  import { limit } from "./limit.ts";
  export function List() { const [n] = useState(limit); return <p>${text} {n}</p>; }`;

/** Names of the built files of a module. */
async function fileOf(module: string): Promise<string> {
  const names = (await readdir(join(root, "dist"))).filter((name) => name.startsWith(module));
  expect(names).toHaveLength(1);
  return names[0] ?? "";
}

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "tenon-refresh-"));
  await symlink(modules, join(root, "node_modules"));
  await mkdir(join(root, "src"));
  await write("package.json", `{ "type": "module" }`);
  await write(
    "src/index.tsx",
    `import { definePlugin } from "@tenon/host";
     import { List } from "./list.tsx";
     export default definePlugin({ id: "demo", routes: [{ index: true, page: List }] });`,
  );
  await write("src/list.tsx", page("one"));
  await write("src/limit.ts", "export const limit = Math.max(1, 2);");
});
afterEach(() => rm(root, { recursive: true, force: true }));

describe("builds for fast refresh", () => {
  const rebuilder = (refresh: boolean) =>
    new Rebuilder({ id: "demo", root, out: join(root, "dist") }, { refresh });

  it("register components by file and name", async () => {
    await rebuilder(true).build();
    const code = await read(await fileOf("src-list"));
    expect(code).toContain(`from 'react-refresh/runtime'`);
    expect(code).toContain(`"src/list.tsx "`);
    expect(code).toContain(`"List"`);
  });

  it("rename changed modules and their importers only", async () => {
    const builds = rebuilder(true);
    const names = async () => {
      await builds.build();
      return Promise.all(["main", "src-list", "src-limit"].map(fileOf));
    };
    const [main, list, limit] = await names();
    await write("src/list.tsx", page("two"));
    const [changedMain, changedList, sameLimit] = await names();
    expect(changedMain).not.toBe(main);
    expect(changedList).not.toBe(list);
    expect(sameLimit).toBe(limit);
    // A page that has evaluated the first file would not evaluate it again.
    await write("src/list.tsx", page("one"));
    const [, restoredList] = await names();
    expect(restoredList).not.toBe(list);
  });

  it("are made on request only", async () => {
    await rebuilder(false).build();
    expect(await read(await fileOf("main"))).not.toMatch(/refresh/i);
  });
});
