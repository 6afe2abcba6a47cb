/** The description of a field in `tables.gen.ts` at run time; `null` for a plain text. */
export interface FieldFacts {
  type: string;
  /** It has a value in every record. */
  required?: boolean;
  many?: boolean;
  /** No two records have the same. */
  unique?: boolean;
  /** The host's to write. */
  readOnly?: boolean;
  choices?: readonly string[];
  /** The type of a computed field that is never `null`. */
  value?: "string" | "number" | "boolean";
  default?: unknown;
  /** A callback of the plugin sets it, so a new record may omit it. */
  setByCallback?: boolean;
}

/** In a patch: adds to the number of the record, in one step; an empty field counts as 0. */
export interface Increment {
  increment: number;
}

/** Whether a new record must have a value of the field. */
export function isNeeded({ required, default: preset, setByCallback }: FieldFacts): boolean {
  return Boolean(required) && preset === undefined && !setByCallback;
}

/** The fields of a patch that add to a number, apart from those that replace a value. */
export function splitIncrements(fields: Fields, patch: Readonly<Record<string, unknown>>) {
  const values: Record<string, unknown> = {};
  const increments: Record<string, number> = {};
  for (const [name, value] of Object.entries(patch)) {
    const type = fields[name]?.type;
    const isNumber = type === "integer" || type === "number";
    if (isNumber && typeof value === "object" && value !== null)
      increments[name] = (value as Increment).increment;
    else values[name] = value;
  }
  return { patch: values, increments };
}

/** The fields of a table that are shown, in order. */
export type Fields = Readonly<Record<string, FieldFacts>>;

const blankValues = { string: "", number: 0, boolean: false };

/** A record as it is shown until the host has made it. */
export function blankRecord<R extends { id: string }>(
  fields: Fields,
  given: R,
): Readonly<Record<string, unknown>> & { id: string } {
  const record: Record<string, unknown> & { id: string } = { id: given.id };
  const now = new Date().toISOString();
  for (const [name, facts] of Object.entries(fields)) {
    const { type, many, required, readOnly, value, default: preset } = facts;
    if (preset !== undefined && type !== "user") record[name] = preset;
    else if (many) record[name] = [];
    else if (readOnly && required && type === "datetime") record[name] = now;
    else if (readOnly && required && type === "integer") record[name] = 1;
    else record[name] = value ? blankValues[value] : null;
  }
  return Object.assign(record, given);
}

/** A UUIDv7, as the host makes them: sortable by the time of their making. */
export function newId(now = Date.now()): string {
  // `crypto.randomUUID` is not there without TLS.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  for (let at = 0; at < 6; at += 1) bytes[at] = Math.floor(now / 256 ** (5 - at)) % 256;
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
