/** The members of a table of tables.json that determine which fields a request may set. */
export interface RuledTable {
  name: string;
  rules?: { read?: string; create?: string; update?: string; delete?: string };
  fields: readonly RuledField[];
}

export interface RuledField {
  name: string;
  type: string;
  table?: string;
  hidden?: boolean;
  read_only?: boolean;
  writable?: boolean;
  rules?: { read?: string; write?: string };
}

const keywords = new Set(["and", "or", "not", "in", "like", "true", "false", "null"]);

/** The paths that an expression names: `board.owner = @user` has `["board", "owner"]`. */
function pathsOf(expression: string): string[][] {
  const plain = expression.replaceAll(/'(?:[^']|'')*'/g, "''");
  const names = plain.matchAll(/(?<![\w@.])[a-z]\w*(?:\s*\.\s*[a-z]\w*)*(?!\w)(?!\s*\()/gi);
  return [...names]
    .map(([path]) => path.split(".").map((name) => name.trim()))
    .filter(([first]) => first !== undefined && !keywords.has(first));
}

/** Names as `cards.owner`, of every step of its paths. */
function fieldsOf(
  expression: string | undefined,
  table: RuledTable,
  tables: ReadonlyMap<string, RuledTable>,
): string[] {
  const found: string[] = [];
  for (const path of pathsOf(expression ?? "")) {
    let at: RuledTable | undefined = table;
    for (const name of path) {
      const field: RuledField | undefined = at?.fields.find((one) => one.name === name);
      if (!at || !field) break;
      found.push(`${at.name}.${name}`);
      at = tables.get(field.table ?? "");
    }
  }
  return found;
}

/**
 * The fields that only the plugin may set, though they are not `read_only`, as `cards.owner`: hidden ones,
 * and those that a rule reads while no rule checks what is written. As the host finds them (docs/tables.md).
 */
export function protectedFields(list: readonly RuledTable[]): ReadonlySet<string> {
  const tables = new Map(list.map((table) => [table.name, table]));
  const inRules = new Set<string>();
  for (const table of list) {
    const { read, create, update, delete: remove } = table.rules ?? {};
    const own = table.fields.flatMap(({ rules }) => [rules?.read, rules?.write]);
    for (const rule of [read, update, remove, ...own])
      for (const name of fieldsOf(rule, table, tables)) inRules.add(name);
    for (const name of fieldsOf(create, table, tables))
      if (!name.startsWith(`${table.name}.`)) inRules.add(name);
  }
  const found = new Set<string>();
  for (const table of list) {
    const writing = [table.rules?.create, table.rules?.update].filter((rule) => rule !== undefined);
    const read = writing.map((rule) => fieldsOf(rule, table, tables));
    for (const field of table.fields) {
      const name = `${table.name}.${field.name}`;
      const isChecked =
        field.rules?.write !== undefined || read.every((names) => names.includes(name));
      if (!field.writable && (field.hidden || (inRules.has(name) && !isChecked))) found.add(name);
    }
  }
  return found;
}
