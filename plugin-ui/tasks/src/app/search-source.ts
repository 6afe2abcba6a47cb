import type { SearchSource } from "@tenon/host";
import { clientFor, plainSegments, type ListPage, type Segment } from "@tenon/ui";
import { cardPath } from "../model/location.ts";

const maxHits = 6;

interface FoundCard {
  id: string;
  board: string;
  title: string;
  highlight: Readonly<Record<string, readonly Segment[]>>;
  expand: { board?: { title: string } | null };
}

/** Returns cards for the shell's palette, including archived ones. */
export const searchCards: SearchSource = async (query, { signal }) => {
  const { items } = await clientFor("/api/tasks").get<ListPage<FoundCard>>("cards", {
    query: { q: query, limit: maxHits, fields: "board,title", expand: "board" },
    signal,
  });
  return items.map(({ id, board, title, highlight, expand }) => ({
    id,
    title,
    path: cardPath(board, id),
    context: expand.board?.title,
    snippet:
      plainSegments(highlight.description ?? [])
        .map(({ text }) => text)
        .join("") || undefined,
  }));
};
