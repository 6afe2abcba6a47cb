import type { Card, Column, Label } from "../tables.gen.ts";

/** The fields of a card that a board shows; the rest comes with its dialog. */
export const cardFields = [
  "board",
  "column",
  "position",
  "title",
  "described",
  "assignees",
  "labels",
  "due",
  "files",
  "repeat",
  "archived",
  "updated",
] as const;

export type CardRow = Pick<Card, "id" | (typeof cardFields)[number]>;

/** How much hangs on a card. */
export interface CardCounts {
  readonly items: number;
  readonly done: number;
  readonly comments: number;
}

export const noCounts: CardCounts = { items: 0, done: 0, comments: 0 };

/** A board as a view is given it: cards that the filters leave, in order. */
export interface BoardData {
  readonly board: string;
  readonly columns: readonly Column[];
  /** All of them, in order of their columns' places. */
  readonly cards: readonly CardRow[];
  /** Those that the filters leave. */
  readonly shown: readonly CardRow[];
  readonly labels: ReadonlyMap<string, Label>;
  readonly counts: ReadonlyMap<string, CardCounts>;
  readonly names: ReadonlyMap<string, string>;
  /** Whether the person may change what is on it. */
  readonly isWriter: boolean;
  readonly isFiltered: boolean;
}
