import { useQueryClient } from "@tanstack/react-query";
import { errorMessage, toast } from "@tenon/ui";
import { notesApi } from "../model/notes-api.ts";
import { pathText } from "../model/notebook-tree.ts";
import { countsChanged, useNotebooks } from "../model/queries.ts";
import type { Notebook } from "../model/types.ts";

/** Moves a notebook into another one, with Undo. */
export function useMoveNotebook() {
  const client = useQueryClient();
  const { items } = useNotebooks();
  return async (notebook: Notebook, parent: string | null) => {
    const change = async (to: string | null) => {
      try {
        await notesApi.changeNotebook(notebook.id, { parent: to });
      } catch (error) {
        toast(`Could not move “${notebook.name}”: ${errorMessage(error)}`, { tone: "danger" });
        return false;
      } finally {
        countsChanged(client);
      }
      return true;
    };
    if (parent === notebook.parent || !(await change(parent))) return;
    toast(
      `“${notebook.name}” moved to ${parent === null ? "the top level" : pathText(items, parent)}`,
      {
        action: { label: "Undo", run: () => void change(notebook.parent) },
      },
    );
  };
}
