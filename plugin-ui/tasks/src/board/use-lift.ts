import { useCallback, useState } from "react";
import { byPosition } from "../model/order.ts";
import type { BoardData, CardRow } from "../model/types.ts";
import { othersOf, type Spot } from "./use-moves.ts";

/** A card that is held, by a pointer or the keyboard, and the place where it would go. */
export interface Lifted {
  readonly id: string;
  readonly spot: Spot;
  readonly by: "pointer" | "keyboard";
}

/** Returns cards of a column as they are drawn: the held one is at its place. */
export function drawnCards(data: BoardData, column: string, lifted: Lifted | null): CardRow[] {
  const cards = data.shown.filter((card) => card.column === column);
  if (!lifted) return cards.toSorted(byPosition);
  const card = data.cards.find(({ id }) => id === lifted.id);
  const others = othersOf(cards, column, lifted.id);
  if (!card || lifted.spot.column !== column) return others;
  const at = others.findIndex(({ id }) => id === lifted.spot.before);
  return others.toSpliced(at < 0 ? others.length : at, 0, card);
}

type Way = "ArrowUp" | "ArrowDown" | "ArrowLeft" | "ArrowRight" | "Home" | "End";

const ways: readonly string[] = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End"];

export const isWay = (key: string): key is Way => ways.includes(key);

/** The place next to where a card is held. */
export function nextSpot(data: BoardData, lifted: Lifted, way: Way): Spot {
  const { id, spot } = lifted;
  const others = (column: string) => othersOf(data.shown, column, id);
  const indexIn = (column: string) => {
    const all = others(column);
    const at = all.findIndex((card) => card.id === spot.before);
    return at < 0 ? all.length : at;
  };
  const at = (column: string, index: number): Spot => ({
    column,
    before: others(column)[index]?.id ?? null,
  });
  const index = indexIn(spot.column);
  const columnIndex = data.columns.findIndex((column) => column.id === spot.column);
  const neighbour = (step: number) => {
    const column = data.columns[columnIndex + step];
    return column ? at(column.id, Math.min(index, others(column.id).length)) : spot;
  };
  switch (way) {
    case "ArrowUp":
      return at(spot.column, Math.max(0, index - 1));
    case "ArrowDown":
      return at(spot.column, Math.min(others(spot.column).length, index + 1));
    case "ArrowLeft":
      return neighbour(-1);
    case "ArrowRight":
      return neighbour(1);
    case "Home":
      return at(spot.column, 0);
    case "End":
      return at(spot.column, others(spot.column).length);
  }
}

/** Describes where a card is, for people who do not see it. */
export function spotText(data: BoardData, { id, spot }: Lifted): string {
  const column = data.columns.find((one) => one.id === spot.column)?.title ?? "";
  const others = othersOf(data.shown, spot.column, id);
  const at = others.findIndex((card) => card.id === spot.before);
  const index = at < 0 ? others.length : at;
  return `${column}, position ${index + 1} of ${others.length + 1}`;
}

/** Returns where a card is that is not held. */
export function spotOf(data: BoardData, id: string): Spot | null {
  const card = data.shown.find((one) => one.id === id);
  if (!card) return null;
  const all = data.shown.filter(({ column }) => column === card.column).toSorted(byPosition);
  return { column: card.column, before: all[all.indexOf(card) + 1]?.id ?? null };
}

/** Holds the lifted card and the announcement about it. */
export function useLift(data: BoardData, move: (id: string, spot: Spot) => void) {
  const [lifted, setLifted] = useState<Lifted | null>(null);
  const [said, setSaid] = useState("");
  const titleOf = (id: string) => data.cards.find((card) => card.id === id)?.title ?? "Card";

  const lift = (id: string, by: Lifted["by"]) => {
    const spot = spotOf(data, id);
    if (!spot) return;
    const held = { id, spot, by };
    setLifted(held);
    setSaid(
      by === "keyboard"
        ? `${titleOf(id)} picked up. ${spotText(data, held)}. Use the arrow keys to move it, Space to drop it, Escape to cancel.`
        : `${titleOf(id)} picked up`,
    );
  };
  const moveTo = useCallback(
    (spot: Spot) =>
      setLifted((held) =>
        held && (held.spot.column !== spot.column || held.spot.before !== spot.before)
          ? { ...held, spot }
          : held,
      ),
    [],
  );
  const step = (way: Way) => {
    if (!lifted) return;
    const next = { ...lifted, spot: nextSpot(data, lifted, way) };
    setLifted(next);
    setSaid(spotText(data, next));
  };
  const drop = () => {
    if (!lifted) return;
    move(lifted.id, lifted.spot);
    setSaid(`${titleOf(lifted.id)} dropped. ${spotText(data, lifted)}`);
    setLifted(null);
  };
  const cancel = () => {
    if (lifted) setSaid(`${titleOf(lifted.id)} moved back`);
    setLifted(null);
  };
  return { lifted, said, lift, moveTo, step, drop, cancel };
}
