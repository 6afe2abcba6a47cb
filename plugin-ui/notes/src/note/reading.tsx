import { useStore } from "@tenon/host";
import type { RefObject } from "react";
import type { LinkTable } from "../editor/links.ts";
import type { FileTable } from "../model/files.ts";
import { LazyPreview } from "../preview/lazy-preview.ts";
import type { PreviewProps } from "../preview/preview.tsx";
import type { NoteSession } from "../saving/note-session.ts";
import { useSessionText } from "./use-session-text.ts";

export interface ReadingProps {
  prose: RefObject<HTMLDivElement | null>;
  session: NoteSession;
  links: LinkTable;
  files: FileTable;
  readOnly?: boolean;
  onFollow: PreviewProps["onFollow"];
  onToggleTask(line: number): void;
  onRendered?(): void;
}

/** The text of a session as it is meant to be read, up to date as it is typed. */
export function Reading({
  prose,
  session,
  links,
  files,
  readOnly,
  onFollow,
  onToggleTask,
  onRendered,
}: ReadingProps) {
  const title = useStore(session.state, (state) => state.title);
  const text = useSessionText(session);
  if (text.trim() === "") return <p className="notes-prose t-muted">This note is empty.</p>;
  return (
    <LazyPreview
      element={prose}
      text={text}
      title={title}
      links={links}
      files={files}
      readOnly={readOnly}
      onFollow={onFollow}
      onToggleTask={onToggleTask}
      onRendered={onRendered}
    />
  );
}
