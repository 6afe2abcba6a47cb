import type { ListOptions, TableTypes } from "./table.ts";

/** A record as far as it is known. */
export type Known = Readonly<Record<string, unknown>>;

type Literal = string | number | boolean | null;

interface Comparison {
  field: string;
  operator: string;
  value: Literal;
}

const comparison =
  /^\(*\s*([a-z][a-z0-9_]*)\s*(=|!=|<=|>=|<|>)\s*('(?:[^']|'')*'|-?\d+(?:\.\d+)?|true|false|null)\s*\)*$/;

function literal(text: string): Literal {
  if (text.startsWith("'")) return text.slice(1, -1).replaceAll("''", "'");
  if (text === "null") return null;
  if (text === "true" || text === "false") return text === "true";
  return Number(text);
}

// Texts are removed first, because they may contain operators and parentheses.
function comparisonsOf(filter: string): Comparison[] | null {
  const texts: string[] = [];
  const plain = filter.replace(/'(?:[^']|'')*'/g, (text) => `'${texts.push(text) - 1}'`);
  if (/\b(?:or|not|in|like)\b/.test(plain)) return null;
  const all: Comparison[] = [];
  for (const part of plain.split(/\band\b/)) {
    const [, field = "", operator = "", value = ""] = comparison.exec(part.trim()) ?? [];
    if (!field) return null;
    const own = value.startsWith("'") ? (texts[Number(value.slice(1, -1))] ?? "''") : value;
    all.push({ field, operator, value: literal(own) });
  }
  return all;
}

const cache = new Map<string, Comparison[] | null>();

function read(filter: string): Comparison[] | null {
  let found = cache.get(filter);
  if (found === undefined) {
    if (cache.size >= 200) cache.clear();
    cache.set(filter, (found = comparisonsOf(filter)));
  }
  return found;
}

// As the expression language has it: an order comparison with what is empty does not hold.
function holds(given: unknown, { operator, value }: Comparison): boolean | undefined {
  const isEmpty = given === null;
  if (operator === "=") return given === value;
  if (operator === "!=") return given !== value;
  if (isEmpty || value === null) return false;
  if (typeof given !== typeof value) return undefined;
  const [one, other] = [given as number, value as number];
  if (operator === "<") return one < other;
  if (operator === "<=") return one <= other;
  if (operator === ">") return one > other;
  return one >= other;
}

/**
 * Whether a list has the record: a filter of plain comparisons, joined by `and`, is asked here; of any other, of a search
 * and of fields that are not known it is `undefined`.
 */
export function belongs<T extends TableTypes>(
  { filter, q }: ListOptions<T, keyof T["record"]>,
  record: Known,
): boolean | undefined {
  if (q) return undefined;
  if (!filter) return true;
  const all = read(filter.toString());
  if (!all) return undefined;
  let isKnown = true;
  for (const one of all) {
    const given = record[one.field];
    if (typeof given === "object" && given !== null) return undefined;
    const holdsHere = given === undefined ? undefined : holds(given, one);
    if (holdsHere === false) return false;
    if (holdsHere === undefined) isKnown = false;
  }
  return isKnown ? true : undefined;
}

function compare(one: unknown, other: unknown): number {
  if (one === other) return 0;
  if (one === null || one === undefined) return -1;
  if (other === null || other === undefined) return 1;
  return (one as string) < (other as string) ? -1 : 1;
}

/** Order of two records in a list, as the host has it for plain values. */
export function order(sort: readonly string[] = []): (one: Known, other: Known) => number {
  return (one, other) => {
    for (const key of sort) {
      const field = key.replace(/^-/, "");
      const result = compare(one[field], other[field]);
      if (result !== 0) return key.startsWith("-") ? -result : result;
    }
    return 0;
  };
}

/** Whether two values of a field are the same; they come of JSON. */
export function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
