import { addDays, today } from "./days.ts";
import type { Filters } from "./location.ts";
import type { CardRow } from "./types.ts";

const plain = (text: string) =>
  text
    .normalize("NFD")
    .replace(/\p{Mark}/gu, "")
    .toLowerCase();

export interface FilterFacts {
  /** Ids of columns where nothing is late. */
  readonly doneColumns: ReadonlySet<string>;
  /** Ids of cards that the server found by the words, also in what the board does not have in memory. */
  readonly found: ReadonlySet<string>;
  /** Ids of cards with a comment that names the person; null where that is not asked. */
  readonly mentioned: ReadonlySet<string> | null;
  /** Returns the names of a card's labels. */
  labelNames(card: CardRow): readonly string[];
}

/** Whether a card fits: all of the filters, of each kind one of what is chosen. */
export function fits(
  card: CardRow,
  { text, people, labels, due }: Filters,
  facts: FilterFacts,
  now: string = today(),
): boolean {
  const holds = (all: readonly string[], chosen: readonly string[]) =>
    chosen.length === 0 || chosen.some((id) => all.includes(id));
  if (facts.mentioned && !facts.mentioned.has(card.id)) return false;
  if (!holds(card.assignees, people) || !holds(card.labels, labels)) return false;
  if (due === "none" && card.due !== null) return false;
  if (
    due === "late" &&
    !(card.due !== null && card.due < now && !facts.doneColumns.has(card.column))
  )
    return false;
  if (due === "week" && !(card.due !== null && card.due >= now && card.due <= addDays(now, 6)))
    return false;
  if (text.trim() === "" || facts.found.has(card.id)) return true;
  const words = plain(text).split(/\s+/).filter(Boolean);
  const where = plain([card.title, ...facts.labelNames(card)].join(" "));
  return words.every((word) => where.includes(word));
}
