import { definePlugin } from "@tenon/host";
import { dialog } from "./app/dialog-state.ts";
import { NotesPage } from "./app/notes-page.tsx";
import { searchNotes } from "./app/search-source.ts";
import { importState } from "./transfer/transfer-state.ts";
import "./styles/layout.css";
import "./styles/nav.css";
import "./styles/list.css";

export default definePlugin({
  id: "notes",
  routes: [{ path: "*", page: NotesPage }],
  contributions: { search: { notes: searchNotes } },
  activate: () => () => {
    importState.get()?.cancel();
    importState.set(null);
    dialog.set(null);
  },
});
