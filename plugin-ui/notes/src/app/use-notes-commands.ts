import { useCommand } from "@tenon/host";
import { useSearchParams } from "react-router";
import { useEffect } from "react";
import { ask } from "./dialog-state.ts";
import { useNotesLocation } from "./location-context.tsx";
import { useNoteActions } from "./use-note-actions.ts";

const group = "Notes";

/** Single letters are commands only while the list has the focus: elsewhere a person may be typing. */
export const listKeys = {
  group: "Notes list",
  within: "[data-plugin=notes] .notes-list [role=listbox]",
} as const;

/** Moves the keyboard to the field that searches notes. */
export function focusSearch(): void {
  document.querySelector<HTMLInputElement>("[data-plugin=notes] .notes-search input")?.focus();
}

/** Moves the keyboard to the list. */
export function focusList(): void {
  document.querySelector<HTMLElement>(listKeys.within)?.focus();
}

/** Commands of the page, whatever is open in it. */
export function useNotesCommands(): void {
  const { location } = useNotesLocation();
  const { create } = useNoteActions();
  const [params, setParams] = useSearchParams();
  const notebook = location.view.kind === "notebook" ? location.view.id : null;

  useCommand({
    id: "notes.new",
    title: "New note",
    ...listKeys,
    shortcut: "n",
    icon: "file-plus",
    // The palette has the manifest’s.
    hidden: true,
    run: create,
  });
  useCommand({
    id: "notes.search",
    title: "Search notes",
    group,
    shortcut: "/",
    icon: "search",
    run: focusSearch,
  });
  useCommand({
    id: "notes.list",
    title: "Go to the list of notes",
    group,
    icon: "list",
    run: focusList,
  });
  useCommand({
    id: "notes.new-notebook",
    title: "New notebook",
    group,
    icon: "folder-plus",
    run: () => ask({ kind: "new-notebook", parent: notebook }),
  });
  useCommand({
    id: "notes.export",
    title: "Export notes",
    group,
    icon: "download",
    keywords: "markdown zip backup",
    run: () => ask({ kind: "export", notebook: null }),
  });

  // The manifest's command comes in by its address.
  const wanted = params.get("begin");
  useEffect(() => {
    if (wanted === null) return;
    if (wanted === "note") create();
    else setParams({}, { replace: true });
    if (wanted === "import") ask({ kind: "import", notebook: null });
    // Only a new wish counts.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [wanted]);
}
