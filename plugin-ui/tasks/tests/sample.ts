import type { BoardData, CardRow } from "../src/model/types.ts";
import type { Column, Label } from "../src/tables.gen.ts";

export const card = (
  id: string,
  column: string,
  position: string,
  more: Partial<CardRow> = {},
): CardRow => ({
  id,
  board: "b",
  column,
  position,
  title: id,
  described: false,
  assignees: [],
  labels: [],
  due: null,
  files: null,
  repeat: null,
  archived: null,
  updated: "2026-11-22T10:00:00.000Z",
  ...more,
});

export const column = (id: string, position: string, more: Partial<Column> = {}): Column => ({
  id,
  board: "b",
  title: id,
  position,
  most: null,
  done: false,
  ...more,
});

export const label = (id: string, name: string): Label => ({ id, board: "b", name, color: "blue" });

export function board(
  columns: readonly Column[],
  cards: readonly CardRow[],
  labels: readonly Label[] = [],
): BoardData {
  return {
    board: "b",
    columns,
    cards,
    shown: cards,
    labels: new Map(labels.map((one) => [one.id, one])),
    counts: new Map(),
    names: new Map(),
    isWriter: true,
    isFiltered: false,
  };
}
