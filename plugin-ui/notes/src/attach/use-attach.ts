import { useCallback, useEffect, useRef, type RefObject } from "react";
import { toast } from "@tenon/ui";
import type { NoteEditor } from "../editor/note-editor.ts";
import { withoutFile } from "../model/files.ts";
import type { NoteSession } from "../saving/note-session.ts";
import { droppedFiles } from "./dropped-files.ts";
import type { Attach } from "./upload-strip.tsx";

/** Adds files to an open note: their Markdown is in the text at once, the files follow. */
export function useAttach(
  session: NoteSession,
  editor: RefObject<NoteEditor | null>,
  enabled: boolean,
) {
  const attach = useRef<Attach | null>(null);
  const waiting = useRef<(readonly File[])[]>([]);

  const change = useCallback(
    (text: string) => {
      session.editText(() => text);
      editor.current?.give(text, session.state.get().title);
    },
    [session, editor],
  );
  const add = useCallback(
    async (files: readonly File[]) => {
      if (files.length === 0) return;
      const begin = attach.current;
      if (!begin) {
        // The code for uploads is still being fetched.
        waiting.current.push(files);
        return;
      }
      const markdown = await begin(files).catch(() => {
        toast("Could not read the files", { tone: "danger" });
        return "";
      });
      if (markdown === "") return;
      if (editor.current) editor.current.insertBlock(markdown);
      else change(`${session.text.trimEnd()}\n\n${markdown}\n`.trimStart());
    },
    [session, editor, change],
  );
  const ready = useCallback(
    (begin: Attach | null) => {
      attach.current = begin;
      if (begin) for (const files of waiting.current.splice(0)) void add(files);
    },
    [add],
  );
  const cancelled = useCallback(
    (target: string) => {
      const text = withoutFile(session.text, target);
      if (text !== session.text) change(text);
    },
    [session, change],
  );

  useEffect(() => {
    if (!enabled) return;
    const take = (files: readonly File[]) => void add(files);
    droppedFiles.take = take;
    return () => {
      if (droppedFiles.take === take) droppedFiles.take = null;
    };
  }, [enabled, add]);

  return { add, ready, cancelled };
}

/** Opens the browser's file dialog. `onClose` runs after it is closed, with files or without. */
export function chooseFiles(take: (files: readonly File[]) => void, onClose: () => void): void {
  const input = document.createElement("input");
  input.type = "file";
  input.multiple = true;
  input.addEventListener("change", () => {
    take([...(input.files ?? [])]);
    onClose();
  });
  input.addEventListener("cancel", onClose);
  input.click();
}
