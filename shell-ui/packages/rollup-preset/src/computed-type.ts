import type { RuledField } from "./writable-fields.ts";

/** The members of a table of tables.json on which the type of an expression depends. */
export interface TypedTable {
  /** All fields, also those that options add. */
  readonly fields: readonly TypedField[];
}

export interface TypedField extends RuledField {
  required?: boolean;
}

/** The type of a value in JSON. */
export interface ComputedType {
  readonly type: "string" | "number" | "boolean";
  readonly isNullable: boolean;
}

/** `null` is the literal, whose type the other values say. */
type Value = ComputedType | { readonly type: null; readonly isNullable: true };

const token = /'(?:[^']|'')*'|@?[a-z_]\w*|\d+(?:\.\d+)?(?:e[+-]?\d+)?|[!<>]=|\S/gi;
const comparisons = ["=", "!=", "<", "<=", ">", ">="];
const plainTypes: Readonly<Record<string, ComputedType["type"]>> = {
  integer: "number",
  number: "number",
  boolean: "boolean",
};
const functions: Readonly<Record<string, ComputedType["type"]>> = {
  abs: "number",
  can: "boolean",
  date: "string",
  day: "number",
  days_ago: "string",
  length: "number",
  lower: "string",
  month: "number",
  round: "number",
  trim: "string",
  upper: "string",
  year: "number",
};

const condition: ComputedType = { type: "boolean", isNullable: false };
const number: ComputedType = { type: "number", isNullable: true };
const given = (type: ComputedType["type"]): ComputedType => ({ type, isNullable: false });

/** One pass over the text, by the grammar of docs/expressions.md. The host checks that it is correct. */
class TypeReader {
  readonly #tokens: readonly string[];
  readonly #tables: ReadonlyMap<string, TypedTable>;
  readonly #table: TypedTable;
  #at = 0;

  constructor(text: string, table: TypedTable, tables: ReadonlyMap<string, TypedTable>) {
    this.#tokens = [...text.matchAll(token)].map(([one]) => one);
    this.#table = table;
    this.#tables = tables;
  }

  read(): Value {
    const value = this.#or();
    if (this.#at < this.#tokens.length) throw new SyntaxError(this.#tokens[this.#at]);
    return value;
  }

  get #next(): string {
    return this.#tokens[this.#at] ?? "";
  }

  #take(): string {
    return this.#tokens[this.#at++] ?? "";
  }

  #accept(...wanted: string[]): boolean {
    if (!wanted.includes(this.#next)) return false;
    this.#at += 1;
    return true;
  }

  #expect(wanted: string): void {
    if (!this.#accept(wanted)) throw new SyntaxError(`${wanted} is missing`);
  }

  #or(): Value {
    let value = this.#and();
    while (this.#accept("or")) [value] = [condition, this.#and()];
    return value;
  }

  #and(): Value {
    let value = this.#not();
    while (this.#accept("and")) [value] = [condition, this.#not()];
    return value;
  }

  #not(): Value {
    if (!this.#accept("not")) return this.#compared();
    this.#compared();
    return condition;
  }

  #compared(): Value {
    const left = this.#sum();
    if (this.#accept(...comparisons)) this.#sum();
    else {
      const isNegated = this.#accept("not");
      if (this.#accept("like")) this.#sum();
      else if (this.#accept("in")) this.#container();
      else if (isNegated) throw new SyntaxError("in or like is missing");
      else return left;
    }
    return condition;
  }

  #container(): void {
    if (this.#accept("@groups")) return;
    if (this.#accept("(")) this.#list();
    else this.#path(this.#take());
  }

  #list(): Value[] {
    const values = [this.#or()];
    while (this.#accept(",")) values.push(this.#or());
    this.#expect(")");
    return values;
  }

  #sum(): Value {
    let value = this.#product();
    for (;;) {
      const isSum = this.#accept("+");
      if (!isSum && !this.#accept("-")) return value;
      const right = this.#product();
      const isText = isSum && value.type === "string";
      value = isText
        ? { type: "string", isNullable: value.isNullable || right.isNullable }
        : number;
    }
  }

  #product(): Value {
    let value = this.#signed();
    while (this.#accept("*", "/", "%")) [value] = [number, this.#signed()];
    return value;
  }

  #signed(): Value {
    if (!this.#accept("-")) return this.#value();
    if (/^\d/.test(this.#next)) return this.#value();
    this.#value();
    return number;
  }

  #value(): Value {
    const one = this.#take();
    if (one.startsWith("'") || one === "@now" || one === "@today") return given("string");
    if (/^\d/.test(one)) return given("number");
    if (one === "true" || one === "false") return given("boolean");
    if (one === "null") return { type: null, isNullable: true };
    if (one === "@user") return { type: "string", isNullable: true };
    if (one === "(") {
      const inner = this.#or();
      this.#expect(")");
      return inner;
    }
    return this.#accept("(") ? this.#call(one) : this.#path(one);
  }

  #call(name: string): Value {
    const values = this.#list();
    if (name === "coalesce") return unified(values, values.every(isNullable));
    if (name === "if") return unified(values.slice(1), values.slice(1).some(isNullable));
    const type = functions[name];
    if (!type) throw new SyntaxError(name);
    return { type, isNullable: type !== "boolean" && values.some(isNullable) };
  }

  #path(first: string): Value {
    const names = [first];
    while (this.#accept(".")) names.push(this.#take());
    // The ID after a reference is the value of the reference.
    if (names.length > 1 && names.at(-1) === "id") names.pop();
    let table: TypedTable | undefined = this.#table;
    let field: TypedField | undefined;
    for (const [at, name] of names.entries()) {
      if (at > 0) table = this.#tables.get(field?.table ?? "");
      const id = { name: "id", type: "reference", required: true };
      field = table?.fields.find((one) => one.name === name) ?? (name === "id" ? id : undefined);
      if (!table || !field) throw new SyntaxError(names.join("."));
    }
    const isNullable = !field?.required || names.length > 1;
    return { type: plainTypes[field?.type ?? ""] ?? "string", isNullable };
  }
}

const isNullable = (value: Value): boolean => value.isNullable;

function unified(values: readonly Value[], isNullable: boolean): Value {
  const type = values.find((value) => value.type !== null)?.type ?? null;
  return type === null ? { type, isNullable: true } : { type, isNullable };
}

/**
 * The type of a computed field, as `check()` of host/expression has it. `null` if the expression is not correct, which
 * the host reports.
 */
export function computedType(
  expression: string,
  table: TypedTable,
  tables: ReadonlyMap<string, TypedTable>,
): ComputedType | null {
  try {
    const value = new TypeReader(expression, table, tables).read();
    return value.type === null ? null : value;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
