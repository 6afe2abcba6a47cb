import { definePlugin } from "@tenon/host";
import { searchCards } from "./app/search-source.ts";
import { BoardsPage } from "./boards/boards-page.tsx";
import "./styles/boards.css";

export default definePlugin({
  id: "tasks",
  routes: [
    { index: true, page: BoardsPage },
    { path: "mentions", load: () => import("./boards/mentions-page.tsx") },
    { path: ":board/*", load: () => import("./board/board-page.tsx") },
  ],
  contributions: { search: { cards: searchCards } },
});
