import { useStore } from "@tenon/host";
import { useEffect, useLayoutEffect, useRef, type RefObject } from "react";
import type { Followed } from "../editor/links.ts";
import { NoteEditor } from "../editor/note-editor.ts";
import type { Suggest } from "../editor/wiki-complete.ts";
import type { FileTable } from "../model/files.ts";
import { notesApi } from "../model/notes-api.ts";
import { pathText } from "../model/notebook-tree.ts";
import { useNotebooks } from "../model/queries.ts";
import type { NoteLink } from "../model/types.ts";
import type { NoteSession } from "../saving/note-session.ts";

export interface EditorHostProps {
  /** Filled while the editor is there. */
  editor: RefObject<NoteEditor | null>;
  session: NoteSession;
  links: readonly NoteLink[];
  files: FileTable;
  conceals: boolean;
  onFollow(link: Followed): void;
  onLeaveTop(): void;
  onEscape(): void;
  onFiles(files: readonly File[]): void;
  onReady?(editor: NoteEditor): void;
}

const none: readonly NoteLink[] = [];

/** The editor on a session: what is typed goes there, what comes from elsewhere is shown. */
export function EditorHost({
  editor,
  session,
  links = none,
  files,
  conceals,
  onFollow,
  onLeaveTop,
  onEscape,
  onFiles,
  onReady,
}: EditorHostProps) {
  const host = useRef<HTMLDivElement>(null);
  const { items } = useNotebooks();
  const title = useStore(session.state, (state) => state.title);
  const given = useStore(session.state, (state) => state.given.count);
  const latest = useRef({ onFollow, onLeaveTop, onEscape, onFiles, onReady, items });
  useLayoutEffect(() => {
    latest.current = { onFollow, onLeaveTop, onEscape, onFiles, onReady, items };
  });

  useLayoutEffect(() => {
    const parent = host.current;
    if (!parent) return;
    const suggest: Suggest = async (query, signal) => {
      const found = await notesApi.suggest(query, { except: session.id, limit: 10 }, { signal });
      return found.items.map((item) => ({
        title: item.title,
        detail: pathText(latest.current.items, item.notebook),
      }));
    };
    const created = new NoteEditor({
      parent,
      text: session.text,
      title: session.state.get().title,
      conceals,
      suggest,
      follow: (link) => latest.current.onFollow(link),
      onChange: (read) => session.editText(read),
      onLeaveTop: () => latest.current.onLeaveTop(),
      onEscape: () => latest.current.onEscape(),
      onFiles: (pasted) => latest.current.onFiles(pasted),
    });
    editor.current = created;
    latest.current.onReady?.(created);
    return () => {
      editor.current = null;
      created.destroy();
    };
    // One editor for a session; what changes later goes to it below.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [session]);

  useEffect(() => editor.current?.setLook(conceals), [editor, conceals]);
  useEffect(() => editor.current?.setLinks(links), [editor, links]);
  useEffect(() => editor.current?.setFiles(files), [editor, files]);
  const shown = useRef(given);
  useEffect(() => {
    if (shown.current === given) return;
    shown.current = given;
    const { state } = session;
    editor.current?.give(state.get().given.text, state.get().title);
  }, [editor, session, given]);
  useEffect(() => editor.current?.setTitle(title), [editor, title]);

  return <div ref={host} className="notes-editor" />;
}
