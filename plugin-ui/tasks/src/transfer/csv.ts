import Papa from "papaparse";
import { byPosition, keyAtEnd } from "../model/order.ts";
import type { BoardData } from "../model/types.ts";
import type { NewCard } from "../tables.gen.ts";

/** The fields that a column of a file can become. */
export const targets = ["title", "description", "column", "labels", "due"] as const;
export type Target = (typeof targets)[number];

/** For each target the column of the file, by its number. */
export type Mapping = Partial<Record<Target, number>>;

export interface Sheet {
  head: readonly string[];
  rows: readonly (readonly string[])[];
}

export const maxRows = 2000;

/** Cells of a CSV file: commas, semicolons or tabs; the first line has the names. */
export function readSheet(text: string): Sheet {
  const { data } = Papa.parse<string[]>(text.replace(/^\uFEFF/, ""), { skipEmptyLines: "greedy" });
  const [head = [], ...rows] = data;
  return { head: head.map((name) => name.trim()), rows };
}

const names: Record<Target, readonly string[]> = {
  title: ["title", "name", "summary", "card", "card name", "task", "subject"],
  description: ["description", "desc", "card description", "notes", "details", "body"],
  column: ["column", "list", "list name", "status", "state", "section/column", "section"],
  labels: ["labels", "label", "tags", "tag"],
  due: ["due", "due date", "deadline", "due day"],
};

export function guessMapping(head: readonly string[]): Mapping {
  const mapping: Mapping = {};
  for (const target of targets) {
    const at = names[target].map((name) => head.findIndex((one) => one.toLowerCase() === name));
    const found = at.find((index) => index >= 0);
    if (found !== undefined) mapping[target] = found;
  }
  return mapping;
}

/** A day at the beginning of a cell: ISO, or `day.month.year`. */
export function readDay(cell: string): string | null {
  const text = cell.trim();
  const iso = /^(\d{4})-(\d{2})-(\d{2})/.exec(text);
  const dotted = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(text);
  const parts = iso
    ? [iso[1], iso[2], iso[3]]
    : dotted
      ? [dotted[3], dotted[2]?.padStart(2, "0"), dotted[1]?.padStart(2, "0")]
      : null;
  if (!parts) return null;
  const day = parts.join("-");
  const date = new Date(`${day}T00:00:00Z`);
  return Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== day ? null : day;
}

// The guard of an export in front of what a spreadsheet would run.
const withoutGuard = (cell: string) =>
  /^'+[=+\-@\t\r\n＝＋－＠]/.test(cell) ? cell.slice(1) : cell;

export interface Planned {
  cards: readonly (Omit<NewCard, "column" | "labels" | "position"> & {
    column: string;
    labels: readonly string[];
  })[];
  /** Names of columns and labels that the board does not have yet. */
  newColumns: readonly string[];
  newLabels: readonly string[];
  /** Rows that cannot be imported, by line in the file. */
  wrong: readonly { line: number; message: string }[];
}

/** What a file would make, by names. Without a column a card goes into the first one. */
export function plan(sheet: Sheet, mapping: Mapping, data: BoardData): Planned {
  const cell = (row: readonly string[], target: Target) => {
    const at = mapping[target];
    return at === undefined ? "" : withoutGuard(row[at] ?? "").trim();
  };
  const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();
  const columnNames = data.columns.map(({ title }) => title);
  const labelNames = [...data.labels.values()].map(({ name }) => name);
  const newColumns: string[] = [];
  const newLabels: string[] = [];
  const known = (all: readonly string[], fresh: string[], wanted: string): string => {
    const found = [...all, ...fresh].find((name) => same(name, wanted));
    if (found === undefined) fresh.push(wanted);
    return found ?? wanted;
  };
  const wrong: { line: number; message: string }[] = [];
  const cards: Planned["cards"][number][] = [];
  for (const [index, row] of sheet.rows.entries()) {
    const line = index + 2;
    const title = cell(row, "title");
    const dueText = cell(row, "due");
    const due = readDay(dueText);
    if (title === "") wrong.push({ line, message: "The title is missing." });
    else if (title.length > 500)
      wrong.push({ line, message: "The title is longer than 500 characters." });
    else if (dueText !== "" && due === null)
      wrong.push({ line, message: `“${dueText.slice(0, 40)}” is not a date.` });
    else {
      const labels = cell(row, "labels")
        .split(/[,;]/)
        .map((name) => name.trim().slice(0, 50))
        .filter(Boolean)
        .map((name) => known(labelNames, newLabels, name));
      const column = cell(row, "column").slice(0, 100) || columnNames[0] || "To do";
      cards.push({
        board: data.board,
        title,
        description: cell(row, "description").slice(0, 100_000) || null,
        column: known(columnNames, newColumns, column),
        labels: [...new Set(labels)],
        due,
      });
    }
  }
  return { cards, newColumns, newLabels, wrong };
}

/** The planned cards with ids for names and keys after those in the columns. */
export function withKeys(
  planned: Planned,
  columns: ReadonlyMap<string, string>,
  labels: ReadonlyMap<string, string>,
  data: BoardData,
): NewCard[] {
  const last = new Map<string, { id: string; position: string }[]>();
  return planned.cards.map((card) => {
    const column = columns.get(card.column) ?? "";
    const others =
      last.get(column) ??
      data.cards
        .filter((one) => one.column === column)
        .toSorted(byPosition)
        .slice(-1);
    const position = keyAtEnd(others);
    last.set(column, [{ id: "", position }]);
    return {
      ...card,
      column,
      position,
      labels: card.labels.flatMap((name) => labels.get(name) ?? []),
    };
  });
}
