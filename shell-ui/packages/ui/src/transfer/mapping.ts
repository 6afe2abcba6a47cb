import { isNeeded, type FieldFacts, type Fields } from "../records/fields.ts";

/** Fields by the names of the file's columns; `null` leaves a column out. */
export type Mapping = Readonly<Record<string, string | null>>;

/** Fields that an import writes: not the host's own, no computed ones, no files. */
export function writable(fields: Fields): [name: string, facts: FieldFacts][] {
  return Object.entries(fields).filter(
    ([, { readOnly, type }]) => !readOnly && type !== "computed" && type !== "blob",
  );
}

/** A name for people: `due_date` is “Due date”. */
export function labelOf(name: string, labels: Readonly<Record<string, string>> = {}): string {
  const words = name.replaceAll("_", " ");
  return labels[name] ?? (name === "id" ? "ID" : words.charAt(0).toUpperCase() + words.slice(1));
}

const plain = (text: string) =>
  text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");

/** Each column with the field of its name; no field twice. */
export function guess(
  columns: readonly string[],
  fields: Fields,
  labels?: Readonly<Record<string, string>>,
): Mapping {
  const names = ["id", ...writable(fields).map(([name]) => name)];
  const taken = new Set<string>();
  const take = (isIt: (name: string) => boolean) => {
    const found = names.find((name) => !taken.has(name) && isIt(name));
    if (found) taken.add(found);
    return found ?? null;
  };
  const exact = columns.map((column) => take((name) => name === column));
  return Object.fromEntries(
    columns.map((column, at) => [
      column,
      exact[at] ?? take((name) => [name, labelOf(name, labels)].map(plain).includes(plain(column))),
    ]),
  );
}

/** Fields that a new record must have and no column gives. */
export function missing(mapping: Mapping, fields: Fields): string[] {
  const given = new Set(Object.values(mapping));
  return writable(fields)
    .filter(([name, facts]) => isNeeded(facts) && !given.has(name))
    .map(([name]) => name);
}

/** Fields that two columns go to. */
export function doubled(mapping: Mapping): string[] {
  const given = Object.values(mapping).filter((name) => name !== null);
  return [...new Set(given.filter((name, at) => given.indexOf(name) !== at))];
}
