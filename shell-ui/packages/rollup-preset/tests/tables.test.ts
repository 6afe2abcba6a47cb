import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { check } from "prettier";
import { afterEach, describe, expect, it } from "vitest";
import { findPlugins, pluginFolder } from "../../../tools/build/build-plugins.ts";
import { buildPlugin, findTables, tablesModule, writeTables } from "../src/index.ts";
import { docComment, NameScope, singular, stringLiteral, upperCamel } from "../src/table-names.ts";

const examples = fileURLToPath(new URL("../../ui/tests/records", import.meta.url));
const folders: string[] = [];

afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

const table = (rest: object) =>
  JSON.stringify({ tables: [{ name: "cards", publish: true, fields: [], ...rest }] });

describe("generated tables module", () => {
  it("matches the snapshot for every field type", async () => {
    const made = tablesModule(
      await readFile(join(examples, "planner-tables.json"), "utf8"),
      "planner",
    );
    await expect(made).toMatchFileSnapshot(join(examples, "planner.gen.ts"));
    expect(await check(made ?? "", { parser: "typescript", printWidth: 100 })).toBe(true);
  });

  it("matches the committed file of every plugin", async () => {
    for (const id of await findPlugins()) {
      const root = join(pluginFolder, id);
      const file = join(root, "src/tables.gen.ts");
      const tables = findTables(root, id);
      const made = tables && tablesModule(await readFile(tables, "utf8"), id);
      expect(existsSync(file) ? await readFile(file, "utf8") : null, id).toBe(made);
    }
  });

  it("leaves out hidden and read-only fields", () => {
    const rules = {
      read: "shared or  note = 'x''s open' or boss . owner = @user",
      create: "owner = @user",
    };
    const made = (writable?: boolean) =>
      tablesModule(
        table({
          rules,
          fields: [
            { name: "owner", type: "user" },
            { name: "boss", type: "reference", table: "cards" },
            { name: "shared", type: "boolean", writable },
            { name: "open", type: "boolean" },
            { name: "user", type: "text" },
            { name: "secret", type: "text", hidden: true, writable },
          ],
        }),
        "p",
      );
    const patch = (text: string | null) =>
      [...(/CardPatch \{([^}]*)\}/.exec(text ?? "")?.[1]?.matchAll(/(\w+)\?:/g) ?? [])].map(
        ([, name]) => name,
      );
    expect(patch(made())).toEqual(["owner", "open", "user"]);
    expect(patch(made(true))).toEqual(["owner", "shared", "open", "user", "secret"]);
    expect(made()).toContain('shared: { type: "boolean", readOnly: true }');
  });

  // host/expression/tests/check_test.cpp reads the same file.
  it("types computed fields as the host does", async () => {
    const file = new URL("computed-types.json", import.meta.url);
    const { tables, types } = JSON.parse(await readFile(file, "utf8")) as {
      tables: { fields: object[] }[];
      types: Record<string, string>;
    };
    tables[1]?.fields.push(
      ...Object.keys(types).map((expression, at) => ({
        name: `computed_${at}`,
        type: "computed",
        expression,
      })),
    );
    const made = tablesModule(JSON.stringify({ tables }), "p") ?? "";
    const found = Object.keys(types).map((expression, at) => [
      expression,
      new RegExp(` computed_${at}: (.*);`).exec(made)?.[1],
    ]);
    expect(Object.fromEntries(found)).toEqual(types);
  });

  it("leaves the type of a wrong expression open", () => {
    for (const expression of ["", "no_field", "title +", "null", "price.cut", "unknown(title)"]) {
      const fields = [
        { name: "title", type: "text" },
        { name: "c", type: "computed", expression },
      ];
      expect(tablesModule(table({ fields }), "p")).toContain(
        "  c: string | number | boolean | null;",
      );
    }
  });

  it("adds null where a rule restricts reading", () => {
    const hidden = { name: "c", type: "computed", expression: "id", rules: { read: "id = null" } };
    expect(tablesModule(table({ fields: [hidden] }), "p")).toContain("  c: string | null;");
  });

  it("is formatted even with long names", async () => {
    for (const length of [20, 23, 24, 30, 34, 40, 48]) {
      const long = (letter: string) => letter.repeat(length);
      const made = tablesModule(
        table({
          name: long("t"),
          fields: [
            { name: long("f"), type: "choice", choices: [long("a"), long("b"), `${long("c")}"`] },
            { name: long("g"), type: "text", required: true, default: long("d") },
            { name: long("h"), type: "integer", many: true, read_only: true },
          ],
        }),
        "p".repeat(Math.min(length, 32)),
      );
      expect(await check(made ?? "", { parser: "typescript", printWidth: 100 }), made ?? "").toBe(
        true,
      );
    }
  });

  it("is empty without published tables", () => {
    expect(tablesModule(table({ publish: false }), "planner")).toBeNull();
  });

  it("reports the location of invalid input", () => {
    const failure = (text: string) => () => tablesModule(text, "planner", "x/tables.json");
    expect(failure("{")).toThrow(/^x\/tables.json: \/: /);
    expect(failure("{}")).toThrow("x/tables.json: /tables: ");
    expect(failure(table({ name: "A b" }))).toThrow("x/tables.json: /tables/0/name: ");
    expect(failure(table({ fields: 1 }))).toThrow("x/tables.json: /tables/0/fields: ");
    expect(failure(table({ fields: [{ name: "a", type: "money" }] }))).toThrow(
      "x/tables.json: /tables/0/fields/0/type: 'money' is no type",
    );
    expect(failure(table({ fields: [{ name: "a", type: "choice" }] }))).toThrow("/0/choices: ");
  });

  it("is written only when it changes", async () => {
    const folder = await mkdtemp(join(tmpdir(), "tenon-tables-"));
    folders.push(folder);
    const ui = join(folder, "ui");
    await mkdir(join(ui, "src"), { recursive: true });
    expect(await writeTables(ui, "planner")).toBeNull();
    await writeFile(join(folder, "tables.json"), table({}));
    const made = await writeTables(ui, "planner");
    const out = join(ui, "src/tables.gen.ts");
    expect(await readFile(out, "utf8")).toBe(made);
    const { ino, mtimeMs } = await stat(out);
    await writeTables(ui, "planner");
    expect(await stat(out)).toMatchObject({ ino, mtimeMs });
    await writeFile(join(folder, "tables.json"), table({ description: "Changed." }));
    expect(await writeTables(ui, "planner")).toContain(" * Changed.");
  });
});

it("is written before the plugin is built", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tenon-tables-"));
  folders.push(folder);
  const root = join(folder, "ui");
  await mkdir(join(root, "src"), { recursive: true });
  await symlink(
    fileURLToPath(new URL("../../../node_modules", import.meta.url)),
    join(root, "node_modules"),
  );
  await writeFile(
    join(folder, "tables.json"),
    table({ fields: [{ name: "title", type: "text" }] }),
  );
  await writeFile(join(root, "package.json"), `{"type":"module"}`);
  await writeFile(
    join(root, "src/index.tsx"),
    `import { definePlugin } from "@tenon/host";
import { useCards } from "./tables.gen.ts";
const List = () => <p>{useCards({ limit: 5 }).data?.items.length}</p>;
export default definePlugin({ id: "planner", routes: [{ index: true, page: List }] });`,
  );
  const out = await buildPlugin({ id: "planner", root, out: join(root, "dist") });
  const main = (await readdir(out)).find((name) => /^main\..*\.js$/.test(name));
  const code = await readFile(join(out, main ?? "main.js"), "utf8");
  expect(code).toContain('from"@tenon/ui/records"');
  expect(code.length).toBeLessThan(1000);
});

describe("generated names", () => {
  it("match those of C++", () => {
    expect(["cards", "board_cards", "a_1", "a1"].map(upperCamel)).toEqual([
      "Cards",
      "BoardCards",
      "A_1",
      "A1",
    ]);
    const tables = ["cards", "categories", "boxes", "addresses", "branches", "notes"];
    expect(tables.map(singular)).toEqual(["card", "category", "box", "address", "branch", "note"]);
    const same = ["status", "analysis", "class", "data", "s", "people", "as"];
    expect(same.map(singular)).toEqual(same);
  });

  it("are unique", () => {
    const scope = new NameScope(["filter"]);
    expect(["filter", "class", "a", "a"].map((name) => scope.take(name))).toEqual([
      "filter_",
      "class_",
      "a",
      "a_",
    ]);
  });

  it("never turn user text into code", () => {
    expect(stringLiteral(`a"b`)).toBe(`'a"b'`);
    expect(stringLiteral(`a'b\n`)).toBe(String.raw`"a'b\n"`);
    expect(stringLiteral(`"'"\\`)).toBe(String.raw`'"\'"\\'`);
    expect(docComment("")).toBe("");
    expect(docComment("x */ let y;")).toBe("/** x *\\/ let y; */\n");
    expect(docComment("a\u2028b\rc", "  ")).toBe("  /**\n   * a\n   * b\n   * c\n   */\n");
  });
});
