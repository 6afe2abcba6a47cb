import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { computedType, type ComputedType } from "./computed-type.ts";
import { docComment, NameScope, singular, stringLiteral, upperCamel } from "./table-names.ts";
import { protectedFields, type RuledField, type RuledTable } from "./writable-fields.ts";

/** The members of a field of tables.json that determine its types. */
interface Field extends RuledField {
  description?: string;
  required?: boolean;
  many?: boolean;
  unique?: boolean;
  default?: unknown;
  set_by_callback?: boolean;
  choices?: readonly string[];
  expression?: string;
  /** The type of a computed field. */
  computed?: ComputedType | null;
  /** A request cannot set it. */
  isProtected?: boolean;
  /** Added by an option of the table. */
  isOption?: boolean;
}

interface Table extends RuledTable {
  description?: string;
  publish?: boolean;
  timestamps?: boolean;
  authorship?: boolean;
  version?: boolean;
  fields: readonly Field[];
}

const plainTypes: Readonly<Record<string, string>> = {
  text: "string",
  integer: "number",
  number: "number",
  boolean: "boolean",
  date: "string",
  datetime: "string",
  json: "unknown",
  choice: "string",
  reference: "string",
  user: "string",
  blob: "FileValue",
  computed: "string | number | boolean",
};

const width = 100;

/**
 * The published tables of a tables.json. It is not checked as the host does: what the types need
 * must be there, else an Error that names the location.
 */
function readTables(text: string, file: string): readonly Table[] {
  const wrong = (location: string, what: string): never => {
    throw new Error(`${file}: ${location}: ${what}`);
  };
  let parsed: { tables?: unknown };
  try {
    parsed = JSON.parse(text) as { tables?: unknown };
  } catch (error) {
    return wrong("/", error instanceof Error ? error.message : String(error));
  }
  const { tables } = parsed;
  if (!Array.isArray(tables)) return wrong("/tables", "an array of tables is required");
  const isName = (name: unknown) => typeof name === "string" && /^[a-z][a-z0-9_]*$/.test(name);
  for (const [at, table] of (tables as Partial<Table>[]).entries()) {
    if (!isName(table.name)) wrong(`/tables/${at}/name`, "no name of a table");
    if (!Array.isArray(table.fields)) wrong(`/tables/${at}/fields`, "a table has fields");
    for (const [index, field] of table.fields?.entries() ?? []) {
      const location = `/tables/${at}/fields/${index}`;
      if (!isName(field.name)) wrong(`${location}/name`, "no name of a field");
      if (!(field.type in plainTypes)) wrong(`${location}/type`, `'${field.type}' is no type`);
      if (field.type === "choice" && !Array.isArray(field.choices))
        wrong(`${location}/choices`, "a choice has choices");
    }
  }
  const kept = protectedFields(tables as Table[]);
  const typed = new Map(
    (tables as Table[]).map((table) => [table.name, { fields: allFields(table) }]),
  );
  return (tables as Table[])
    .filter(({ publish }) => publish)
    .map((table) => ({
      ...table,
      fields: table.fields.map((field) => ({
        ...field,
        isProtected: kept.has(`${table.name}.${field.name}`),
        computed:
          field.expression === undefined
            ? undefined
            : computedType(field.expression, typed.get(table.name) ?? table, typed),
      })),
    }));
}

/** As the host has them: declared fields, then those of the options. */
function allFields(table: Table): Field[] {
  const option = (name: string, type: string, required: boolean): Field => ({
    name,
    type,
    required,
    isOption: true,
  });
  const fields = [...table.fields];
  if (table.timestamps)
    fields.push(option("created", "datetime", true), option("updated", "datetime", true));
  if (table.authorship)
    fields.push(option("created_by", "user", false), option("updated_by", "user", false));
  if (table.version) fields.push(option("version", "integer", true));
  return fields;
}

/** A union type, as Prettier breaks it. */
export function union(head: string, parts: readonly string[]): string {
  const line = `${parts.join(" | ")};\n`;
  if (head.length + line.length <= width) return `${head} ${line}`;
  if (line.length + 2 <= width + 1) return `${head}\n  ${line}`;
  return `${head}\n${parts.map((part) => `  | ${part}`).join("\n")};\n`;
}

/** As Prettier breaks it where it is too long for a line. */
function definition(name: string, callee: string, literals: readonly string[]): string {
  const call = (indent: string, head: string) => {
    const line = `${indent}${head}(${literals.join(", ")});\n`;
    if (line.length <= width + 1) return line;
    return `${indent}${head}(\n${literals.map((one) => `${indent}  ${one},\n`).join("")}${indent});\n`;
  };
  const head = `export const ${name} = ${callee}`;
  return head.length < width ? call("", head) : `export const ${name} =\n${call("  ", callee)}`;
}

/** What is known of a field at run time, as Prettier has it. */
function factsOf(field: Field): string {
  const facts: [name: string, value: string | readonly string[]][] = [
    ["type", stringLiteral(field.type)],
  ];
  if (field.required) facts.push(["required", "true"]);
  if (field.many) facts.push(["many", "true"]);
  if (field.unique) facts.push(["unique", "true"]);
  const { computed } = field;
  if (computed && !computed.isNullable && !field.rules?.read)
    facts.push(["value", stringLiteral(computed.type)]);
  if (!isWritten(field)) facts.push(["readOnly", "true"]);
  if (field.choices) facts.push(["choices", field.choices.map(stringLiteral)]);
  if (field.set_by_callback) facts.push(["setByCallback", "true"]);
  const { default: preset } = field;
  if (typeof preset === "string") facts.push(["default", stringLiteral(preset)]);
  if (typeof preset === "number" || typeof preset === "boolean")
    facts.push(["default", String(preset)]);
  const plain = facts.map(
    ([name, value]) => `${name}: ${typeof value === "string" ? value : `[${value.join(", ")}]`}`,
  );
  const line = `  ${field.name}: { ${plain.join(", ")} },\n`;
  if (line.length <= width + 1) return line;
  const broken = facts.map(([name, value], at) => {
    const short = `    ${plain[at]},\n`;
    if (typeof value === "string" || short.length <= width + 1) return short;
    return `    ${name}: [\n${value.map((one) => `      ${one},\n`).join("")}    ],\n`;
  });
  return `  ${field.name}: {\n${broken.join("")}  },\n`;
}

/** Files come by an upload, and not with a record that is made at once. */
function isWritten({ type, read_only, isOption, isProtected }: Field): boolean {
  return !read_only && !isOption && !isProtected && type !== "computed" && type !== "blob";
}

function interfaceOf(name: string, members: readonly string[]): string {
  if (members.length === 0) return `export type ${name} = Record<string, never>;\n\n`;
  return `export interface ${name} {\n${members.join("")}}\n\n`;
}

class TableModule {
  readonly #scope = new NameScope(["defineTable", "Fields", "FileValue", "Increment"]);
  readonly #plugin: string;
  #usesFiles = false;
  #usesIncrements = false;

  constructor(plugin: string) {
    this.#plugin = plugin;
  }

  write(tables: readonly Table[]): string {
    const clients = tables.map(({ name }) => {
      const type = this.#scope.take(upperCamel(name));
      return this.#scope.take(type.slice(0, 1).toLowerCase() + type.slice(1));
    });
    const text = tables.map((table, at) => this.#table(table, clients[at] ?? "")).join("\n");
    const imports = ["defineTable", "type Fields"];
    if (this.#usesFiles) imports.push("type FileValue");
    if (this.#usesIncrements) imports.push("type Increment");
    return (
      "// Made of tables.json by @tenon/rollup-preset: what is written here is lost.\n" +
      `import { ${imports.join(", ")} } from "@tenon/ui/records";\n\n${text}`
    );
  }

  #table(table: Table, client: string): string {
    const plural = upperCamel(table.name);
    const one = upperCamel(singular(table.name));
    const record = this.#scope.take(this.#scope.has(one) ? `${one}Record` : one);
    const [made, patch, sort, types] = [
      `New${record}`,
      `${record}Patch`,
      `${plural}Sort`,
      `${plural}Types`,
    ].map((name) => this.#scope.take(name)) as [string, string, string, string];
    const fields = allFields(table);
    const choices = new Map<Field, string>();
    let text = "";
    for (const field of fields) {
      if (field.type !== "choice") continue;
      const name = this.#scope.take(plural + upperCamel(field.name));
      choices.set(field, name);
      text += union(`export type ${name} =`, (field.choices ?? []).map(stringLiteral)) + "\n";
    }
    const typeOf = (field: Field) => {
      if (field.type === "blob") this.#usesFiles = true;
      const type =
        choices.get(field) ?? field.computed?.type ?? plainTypes[field.type] ?? "unknown";
      return field.many ? `${type}[]` : type;
    };
    const member = (field: Field, mark: string, mayBeNull: boolean, also = "") =>
      docComment(field.description ?? "", "  ") +
      `  ${field.name}${mark}: ${typeOf(field)}${also}${mayBeNull && field.type !== "json" ? " | null" : ""};\n`;

    const seen = fields.filter(({ hidden }) => !hidden);
    // A field that some users may not see is null for them.
    const mayBeEmpty = ({ required, computed, rules }: Field) =>
      !(computed ? !computed.isNullable : required) || rules?.read !== undefined;
    const inRecord = seen.map((field) =>
      member(field, "", mayBeEmpty(field) && !(isLink(field) && !field.rules?.read)),
    );
    const written = fields.filter(isWritten);
    const inNew = written.map((field) => {
      const isNeeded = field.required && field.default === undefined && !field.set_by_callback;
      return member(field, isNeeded ? "" : "?", !field.required);
    });
    const inPatch = written.map((field) => {
      const canIncrement = !field.hidden && (field.type === "integer" || field.type === "number");
      this.#usesIncrements ||= canIncrement;
      return member(field, "?", !field.required, canIncrement ? " | Increment" : "");
    });
    const sorted = seen.filter(
      ({ type, many }) => !many && !["json", "blob", "computed"].includes(type),
    );

    text += docComment(`A record of \`${table.name}\`.\n${table.description ?? ""}`);
    text += interfaceOf(record, ["  id: string;\n", ...inRecord]);
    text += interfaceOf(made, [
      "  /** A UUID, so that a request that is sent again makes no second record. */\n  id?: string;\n",
      ...inNew,
    ]);
    text += interfaceOf(patch, inPatch);
    text += union(
      `export type ${sort} =`,
      ["id", ...sorted.map(({ name }) => name)].map(stringLiteral),
    );
    text += `\nexport interface ${types} {\n`;
    text += `  record: ${record};\n  create: ${made};\n  patch: ${patch};\n  sort: ${sort};\n}\n\n`;
    const facts = this.#scope.take(`${client}Fields`);
    const lines = seen.map(factsOf);
    text += `const ${facts}: Fields = {${lines.length > 0 ? `\n${lines.join("")}` : ""}};\n`;
    return text + this.#client(table.name, client, types, plural, record, facts);
  }

  #client(
    table: string,
    client: string,
    types: string,
    plural: string,
    record: string,
    facts: string,
  ): string {
    const made = definition(client, `defineTable<${types}>`, [
      JSON.stringify(this.#plugin),
      JSON.stringify(table),
      facts,
    ]);
    const hooks = {
      useList: `use${plural}`,
      useInfinite: `useInfinite${plural}`,
      useGroups: `use${record}Groups`,
      useOne: `use${record}`,
      useCreate: `useCreate${record}`,
      useUpdate: `useUpdate${record}`,
      useRemove: `useRemove${record}`,
      useBatch: `useBatch${plural}`,
    };
    const lines = Object.entries(hooks).map(
      ([hook, name]) => `  ${hook}: ${this.#scope.take(name)},\n`,
    );
    return `${made}export const {\n${lines.join("")}} = ${client}.hooks;\n`;
  }
}

/** Many references are an empty array, where there are none. */
function isLink({ type, many }: Field): boolean {
  return many === true && (type === "reference" || type === "user");
}

/**
 * The module `tables.gen.ts` for the published tables of a tables.json: types, client and hooks.
 * `null` when there is none. Throws an Error that names `file` and the location of what is wrong.
 */
export function tablesModule(text: string, plugin: string, file = "tables.json"): string | null {
  const tables = readTables(text, file);
  return tables.length === 0 ? null : new TableModule(plugin).write(tables);
}

/** The tables.json of the plugin whose UI lies in `root`: `../../plugins/<id>` in this tree, else `..`. */
export function findTables(root: string, id: string): string | null {
  const locations = [join(root, "../../plugins", id, "tables.json"), join(root, "../tables.json")];
  return locations.find((location) => existsSync(location)) ?? null;
}

/** Writes `src/tables.gen.ts` of a plugin's UI where it has changed; returns what it holds. */
export async function writeTables(
  root: string,
  id: string,
  tables = findTables(root, id),
): Promise<string | null> {
  if (tables === null) return null;
  const made = tablesModule(await readFile(tables, "utf8"), id, tables);
  if (made === null) return null;
  const out = join(root, "src/tables.gen.ts");
  const before = existsSync(out) ? await readFile(out, "utf8") : null;
  if (before !== made) await writeFile(out, made);
  return made;
}
