import { toast } from "@tenon/ui";
import { useCallback, useState } from "react";
import { reorder, currentKeys, type Placed } from "../model/order.ts";
import { useUpdateColumn, type Column } from "../tables.gen.ts";

/** A column that is held, and how many others are before it. */
export interface LiftedColumn {
  readonly id: string;
  readonly index: number;
  readonly by: "pointer" | "keyboard";
}

/** Returns columns as they are drawn: the held one is at its place. */
export function drawnColumns<T extends { readonly id: string }>(
  columns: readonly T[],
  lifted: Pick<LiftedColumn, "id" | "index"> | null,
): readonly T[] {
  const held = lifted && columns.find(({ id }) => id === lifted.id);
  if (!held) return columns;
  return columns.filter(({ id }) => id !== held.id).toSpliced(lifted.index, 0, held);
}

type Way = "ArrowLeft" | "ArrowRight" | "Home" | "End";

const ways: readonly string[] = ["ArrowLeft", "ArrowRight", "Home", "End"];

export const isColumnWay = (key: string): key is Way => ways.includes(key);

/** The place next to `index` of `count`. */
export function nextIndex(index: number, count: number, way: Way, isRightToLeft = false): number {
  if (way === "Home") return 0;
  if (way === "End") return count - 1;
  const step = (way === "ArrowRight") === isRightToLeft ? -1 : 1;
  return Math.max(0, Math.min(count - 1, index + step));
}

/** Moves a column among the others, with *Undo*: nearly always one change of one record. */
export function useColumnMoves(columns: readonly Column[]): (id: string, index: number) => void {
  const { mutate } = useUpdateColumn();
  return useCallback(
    (id, index) => {
      const at = columns.findIndex((one) => one.id === id);
      const column = columns[at];
      // There may be fewer than when it was lifted.
      const to = Math.min(index, columns.length - 1);
      if (!column || at === to) return;
      const others = columns.filter((one) => one !== column);
      const put = (all: readonly Placed[]) => {
        for (const { id: each, position } of all) mutate({ id: each, patch: { position } });
      };
      const moves = reorder(others, to, id);
      const back = currentKeys(columns, moves);
      put(moves);
      toast(`Column ${column.title} moved`, {
        action: { label: "Undo", run: () => put(back) },
      });
    },
    [columns, mutate],
  );
}

/** The column that is held, and what is said of it. */
export function useColumnLift(
  columns: readonly Column[],
  move: (id: string, index: number) => void,
) {
  const [lifted, setLifted] = useState<LiftedColumn | null>(null);
  const [said, setSaid] = useState("");
  const titleOf = (id: string) => columns.find((column) => column.id === id)?.title ?? "";
  // Others may be deleted while it is held.
  const atMost = (index: number) => Math.min(index, columns.length - 1);
  const locationText = (index: number) => `Position ${index + 1} of ${columns.length}`;

  const lift = (id: string, by: LiftedColumn["by"]) => {
    const index = columns.findIndex((column) => column.id === id);
    if (index < 0) return;
    setLifted({ id, index, by });
    setSaid(
      by === "keyboard"
        ? `Column ${titleOf(id)} picked up. ${locationText(index)}. Use the arrow keys to move it, Space to drop it, Escape to cancel.`
        : `Column ${titleOf(id)} picked up`,
    );
  };
  const moveTo = useCallback(
    (index: number) =>
      setLifted((held) => (held && held.index !== index ? { ...held, index } : held)),
    [],
  );
  const step = (way: Way, isRightToLeft: boolean) => {
    if (!lifted) return;
    const index = nextIndex(atMost(lifted.index), columns.length, way, isRightToLeft);
    setLifted({ ...lifted, index });
    setSaid(locationText(index));
  };
  const drop = () => {
    if (!lifted) return;
    const index = atMost(lifted.index);
    move(lifted.id, index);
    setSaid(`Column ${titleOf(lifted.id)} dropped. ${locationText(index)}`);
    setLifted(null);
  };
  const cancel = () => {
    if (lifted) setSaid(`Column ${titleOf(lifted.id)} moved back`);
    setLifted(null);
  };
  return { lifted, said, lift, moveTo, step, drop, cancel };
}
