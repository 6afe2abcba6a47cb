import type { SearchSource } from "@tenon/host";
import { clientFor, type ListPage } from "@tenon/ui";
import { cardPath } from "../model/place.ts";

const most = 6;

interface Found {
  id: string;
  board: string;
  title: string;
  highlight: Readonly<Record<string, readonly { text: string }[]>>;
}

/** Answers the shell's palette with cards, archived ones too. */
export const searchCards: SearchSource = async (query, { signal }) => {
  const { items } = await clientFor("/api/tasks").get<ListPage<Found>>("cards", {
    query: { q: query, limit: most, fields: "board,title" },
    signal,
  });
  return items.map(({ id, board, title, highlight }) => ({
    id,
    title,
    path: cardPath(board, id),
    snippet: highlight.description?.map(({ text }) => text).join(""),
  }));
};
