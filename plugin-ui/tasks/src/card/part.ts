import type { BoardData } from "../model/types.ts";
import { useUpdateCard, type Card, type CardPatch } from "../tables.gen.ts";

/** Properties of every part of a card. */
export interface CardPartProps {
  card: Card;
  data: BoardData;
}

export function useCardChange(id: string): (patch: CardPatch) => void {
  const { mutate } = useUpdateCard();
  return (patch) => mutate({ id, patch });
}
