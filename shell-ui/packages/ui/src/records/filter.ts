/** A condition in the expression language of `filter=`. Made by `filter` alone. */
export class Filter {
  readonly #text: string;

  /** Use `filter`. */
  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }

  /** As a part of a query key. */
  toJSON(): string {
    return this.#text;
  }
}

/** A value in a filter. A `Date` is a point in time; a list follows `in`. */
export type FilterValue =
  string | number | bigint | boolean | null | Date | Filter | readonly (string | number | bigint)[];

function quoted(value: FilterValue): string {
  if (value === null) return "null";
  if (typeof value === "string") return `'${value.replaceAll("'", "''")}'`;
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (typeof value === "number") {
    if (!Number.isFinite(value))
      throw new RangeError(`A filter value must be finite, not ${value}.`);
    return String(value);
  }
  if (value instanceof Date) return `'${value.toISOString()}'`;
  if (value instanceof Filter) return `(${value})`;
  if (!Array.isArray(value))
    throw new TypeError(`A filter value cannot be of type ${typeof value}.`);
  if (value.length === 0) throw new RangeError("A list in a filter must have at least one value.");
  return `(${value.map(quoted).join(", ")})`;
}

/**
 * A condition with values in it: ``filter`state = ${state} and due < ${new Date()}` ``. Every value
 * is written as a literal of the language, so that no text becomes a part of the condition; a nested
 * filter gets parentheses. The parts between the values are used unchanged.
 */
export function filter(parts: TemplateStringsArray, ...values: readonly FilterValue[]): Filter {
  return new Filter(
    parts.reduce((text, part, index) => {
      const value = values[index - 1];
      return text + (value === undefined ? missing() : quoted(value)) + part;
    }),
  );
}

function missing(): never {
  throw new TypeError("A filter value is undefined. Compare with null to match empty fields.");
}

/** Both hold; what is undefined is left out. */
export function allOf(...filters: readonly (Filter | undefined)[]): Filter | undefined {
  const given = filters.filter((one) => one !== undefined);
  return given.length < 2 ? given[0] : new Filter(given.map((one) => `(${one})`).join(" and "));
}
