import { errorMessage, toast } from "@tenon/ui";
import { useCallback } from "react";
import { byPosition, reorder, currentKeys, type Placed } from "../model/order.ts";
import type { BoardData, CardRow } from "../model/types.ts";
import { useUpdateCard } from "../tables.gen.ts";

/** A place on the board: before a card that is shown, or at the end. */
export interface Spot {
  readonly column: string;
  readonly before: string | null;
}

/** Cards of a column in order, without one. */
export function othersOf(cards: readonly CardRow[], column: string, id: string): CardRow[] {
  return cards.filter((card) => card.column === column && card.id !== id).toSorted(byPosition);
}

/** Puts cards elsewhere: nearly always one change of one record. */
export function useMoves(data: BoardData): (id: string, spot: Spot) => void {
  const { mutate } = useUpdateCard();
  const { cards, columns } = data;
  return useCallback(
    (id: string, { column, before }: Spot) => {
      const card = cards.find((one) => one.id === id);
      if (!card) return;
      const others = othersOf(cards, column, id);
      const at = before === null ? -1 : others.findIndex((one) => one.id === before);
      const index = at < 0 ? others.length : at;
      const isThere =
        card.column === column &&
        othersOf(cards, column, "").findIndex((one) => one.id === id) === index;
      if (isThere) return;
      const put = (all: readonly Placed[], to: string) => {
        for (const { id: each, position } of all)
          mutate({ id: each, patch: each === id ? { column: to, position } : { position } });
      };
      const moves = reorder(others, index, id);
      const back = currentKeys(cards, moves);
      put(moves, column);
      if (column === card.column) return;
      const { title = "" } = columns.find((one) => one.id === column) ?? {};
      toast(`Moved to ${title}`, {
        action: { label: "Undo", run: () => put(back, card.column) },
      });
    },
    [cards, columns, mutate],
  );
}

/** Archives a card, with *Undo*. */
export function useArchiveCard(): (card: { id: string; title: string }) => void {
  const { mutate } = useUpdateCard();
  return useCallback(
    ({ id, title }) => {
      mutate({ id, patch: { archived: new Date().toISOString() } });
      toast(`“${title}” archived`, {
        action: { label: "Undo", run: () => mutate({ id, patch: { archived: null } }) },
      });
    },
    [mutate],
  );
}

export const sayError = (error: unknown) => void toast(errorMessage(error), { tone: "danger" });
