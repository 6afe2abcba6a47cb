import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { readIconNames } from "../src/lucide.ts";

const list = resolve(import.meta.dirname, "../../../../host/packages/archive/icon_names.list");

// After an upgrade of lucide-react, write the names to that file, a line each.
it("knows the icons that plugin check accepts", async () => {
  const names = (await readFile(list, "utf8")).trimEnd().split("\n");
  expect(names).toEqual(await readIconNames());
});
