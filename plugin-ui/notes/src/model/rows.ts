import type { Sort, View } from "./location.ts";
import type { Note, NoteRow } from "./types.ts";

/** A note without what only its page needs. */
export function rowOf(note: Note | NoteRow): NoteRow {
  const {
    text: _text,
    links: _links,
    backlinks: _backlinks,
    backlinks_more: _more,
    attachments: _attachments,
    ...row
  } = note as Note;
  return row;
}

/** Whether a note belongs in a list. */
export function belongs(view: View, row: NoteRow): boolean {
  if (view.kind === "trash") return row.deleted !== null;
  if (row.deleted !== null) return false;
  switch (view.kind) {
    case "notebook":
      return row.notebook === view.id;
    case "unfiled":
      return row.notebook === null && row.access === "owner";
    case "pinned":
      return row.pinned;
    case "shared":
      return row.access !== "owner";
    case "tag":
      return row.tags.some((name) => name.toLowerCase() === view.name.toLowerCase());
    default:
      return true;
  }
}

const byText = (a: string, b: string) => a.toLowerCase().localeCompare(b.toLowerCase());
const latest = (a: string, b: string) => (a < b ? 1 : a > b ? -1 : 0);

/** The server's order of a list. */
export function compareRows(view: View, sort: Sort): (a: NoteRow, b: NoteRow) => number {
  if (view.kind === "trash") return (a, b) => latest(a.deleted ?? "", b.deleted ?? "");
  const order = (a: NoteRow, b: NoteRow) =>
    sort === "title" ? byText(a.title, b.title) : latest(a.updated, b.updated);
  if (view.kind === "recent") return order;
  return (a, b) => Number(b.pinned) - Number(a.pinned) || order(a, b);
}

interface Page {
  items: readonly NoteRow[];
  next: string | null;
}

/**
 * The pages of a list after a note has changed: it is taken out, and put where it belongs now. When that is
 * beyond what is loaded, the page that is loaded later contains it.
 */
export function insertRow<P extends Page>(
  pages: readonly P[],
  row: NoteRow,
  view: View,
  sort: Sort,
): P[] {
  const without = pages.map((page) =>
    page.items.some(({ id }) => id === row.id)
      ? { ...page, items: page.items.filter(({ id }) => id !== row.id) }
      : page,
  );
  if (!belongs(view, row)) return without;
  const compare = compareRows(view, sort);
  for (const [index, page] of without.entries()) {
    const at = page.items.findIndex((other) => compare(row, other) <= 0);
    if (at < 0 && (index < without.length - 1 || page.next !== null)) continue;
    const position = at < 0 ? page.items.length : at;
    without[index] = { ...page, items: page.items.toSpliced(position, 0, row) };
    break;
  }
  return without;
}

/** The pages without a note. */
export function removeRow<P extends Page>(pages: readonly P[], id: string): P[] {
  return pages.map((page) => ({ ...page, items: page.items.filter((row) => row.id !== id) }));
}
