import { useCommand, useKeptChanges, useLeaveGuard, usePageTitle, useStore } from "@tenon/host";
import { toast } from "@tenon/ui";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef } from "react";
import { useLocation } from "react-router";
import { lazyComponent } from "../app/lazy.tsx";
import { useNotesLocation } from "../app/location-context.tsx";
import { editorMode, type EditorMode } from "../app/preference.ts";
import { titleOf } from "../app/use-note-actions.ts";
import { UploadStrip } from "../attach/upload-strip.tsx";
import { chooseFiles, useAttach } from "../attach/use-attach.ts";
import { linkTable } from "../editor/links.ts";
import type { Format } from "../editor/format.ts";
import type { NoteEditor } from "../editor/note-editor.ts";
import { fileTable } from "../model/files.ts";
import { retitle, slugOf, toggleTaskLine } from "../model/markdown-text.ts";
import type { Note } from "../model/types.ts";
import {
  editorLine,
  previewLine,
  scrollEditor,
  scrollPreview,
  scrollToHeading,
} from "../preview/scroll-line.ts";
import type { NoteSession } from "../saving/note-session.ts";
import { SidePanel } from "../panel/side-panel.tsx";
import { EditorHost } from "./editor-host.tsx";
import { FormatCommands } from "./format-menu.tsx";
import { NoteFacts } from "./note-facts.tsx";
import { NoteHeader } from "./note-header.tsx";
import { Reading } from "./reading.tsx";
import { restFocus } from "./rest-focus.ts";
import { StatusNotice } from "./status-notice.tsx";
import { TitleField } from "./title-field.tsx";
import { useFollow } from "./use-follow.ts";
import { useScrollTogether } from "./use-scroll-together.ts";
import type { BegunState } from "./use-session.ts";

const Conflict = lazyComponent(() =>
  import("../conflict/conflict-view.tsx").then(({ ConflictView }) => ConflictView),
);
const RevisionView = lazyComponent(() =>
  import("../panel/revision-view.tsx").then(({ RevisionView }) => RevisionView),
);

/** States in which changes are saved without a decision of the person. */
const savedLater: readonly string[] = ["edited", "saving", "offline", "failed"];
const noLinks: Note["links"] = [];
const noFiles: Note["attachments"] = [];

export interface NoteViewProps {
  session: NoteSession;
  note: Note | undefined;
  narrow: boolean;
}

/** A note that is written: header, text, panel. */
export function NoteView({ session, note, narrow }: NoteViewProps) {
  const { location, go } = useNotesLocation();
  const state = useStore(session.state);
  const chosen = useStore(editorMode);
  const readOnly = note?.access === "reader";
  const mode: EditorMode = readOnly ? "read" : narrow && chosen === "split" ? "write" : chosen;
  const editor = useRef<NoteEditor | null>(null);
  const title = useRef<HTMLTextAreaElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const readingScroller = useRef<HTMLDivElement>(null);
  const prose = useRef<HTMLDivElement>(null);
  const article = useRef<HTMLElement>(null);
  const line = useRef(0);

  const links = note?.links ?? noLinks;
  const table = useMemo(() => linkTable(links), [links]);
  const attachments = note?.attachments ?? noFiles;
  const files = useMemo(() => fileTable(attachments), [attachments]);
  const follow = useFollow(table, files);
  const attach = useAttach(session, editor, !readOnly);
  const attachFiles = () =>
    chooseFiles(
      (chosen) => void attach.add(chosen),
      // The next typed text belongs in the note.
      () => editor.current?.focus(),
    );
  const begun = useLocation().state as BegunState | null;
  usePageTitle(titleOf(state));

  const isUnsaved = state.status.kind !== "saved";
  useKeptChanges(state.kept && savedLater.includes(state.status.kind));
  useLeaveGuard(isUnsaved && !state.kept, async () => {
    if (await session.flush()) return true;
    toast(
      "This note is not saved, and the browser cannot store it. Copy your text before you leave.",
      {
        tone: "danger",
      },
    );
    return false;
  });

  const save = useCallback(async () => {
    if (await session.flush()) toast("Saved", { duration: 1_500 });
  }, [session]);
  const setMode = (next: EditorMode) => {
    line.current = currentLine();
    editorMode.set(next);
  };
  useCommand({
    id: "notes.save",
    title: "Save note",
    group: "Notes",
    shortcut: "mod+s",
    hidden: true,
    run: save,
  });
  useCommand(
    readOnly
      ? null
      : {
          id: "notes.attach",
          title: "Attach files to the note",
          group: "Notes",
          icon: "paperclip",
          run: attachFiles,
        },
  );
  useCommand({
    id: "notes.mode",
    title: mode === "read" ? "Write" : "Read",
    group: "Notes",
    shortcut: "mod+e",
    icon: mode === "read" ? "pencil" : "book-open",
    run: () => setMode(mode === "read" ? "write" : "read"),
  });
  useCommand(
    narrow
      ? null
      : {
          id: "notes.split",
          title: "Text and preview side by side",
          group: "Notes",
          shortcut: "mod+shift+e",
          icon: "columns-2",
          run: () => setMode(mode === "split" ? "write" : "split"),
        },
  );
  useCommand({
    id: "notes.history",
    title: "History of the note",
    group: "Notes",
    icon: "history",
    run: () => go({ panel: location.panel === "history" ? null : "history", revision: null }),
  });

  // A note that was begun is on the server now: its address says so.
  useEffect(() => {
    if (location.fresh && state.version > 0) go({ fresh: false }, { replace: true });
  }, [location.fresh, state.version, go]);

  // The place in the text is kept while the look of it changes.
  function currentLine(): number {
    const element = scroller.current;
    if (mode !== "read" && element && editor.current)
      return editorLine(element, editor.current.view);
    if (element && prose.current) return previewLine(element, prose.current);
    return 0;
  }
  function restoreLine() {
    const element = scroller.current;
    if (!element || line.current === 0) return;
    if (mode !== "read" && editor.current) scrollEditor(element, editor.current.view, line.current);
    else if (prose.current?.hasChildNodes()) scrollPreview(element, prose.current, line.current);
  }
  useLayoutEffect(() => {
    restoreLine();
    // The editor knows heights only of what it has drawn: again, until the place stays.
    let frames = 30;
    let still = 0;
    let frame = requestAnimationFrame(function hold() {
      const before = scroller.current?.scrollTop;
      restoreLine();
      if (mode === "read") return;
      still = scroller.current?.scrollTop === before ? still + 1 : 0;
      if (--frames > 0 && still < 3) frame = requestAnimationFrame(hold);
      else line.current = 0;
    });
    return () => cancelAnimationFrame(frame);
    // The look has changed; nothing else moves the text.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [mode]);
  useScrollTogether({
    enabled: mode === "split",
    scroller,
    editor,
    reading: readingScroller,
    prose,
  });

  const goToLine = (at: number) => {
    if (mode === "read") {
      if (scroller.current && prose.current) scrollPreview(scroller.current, prose.current, at);
    } else {
      editor.current?.goToLine(at + 1);
    }
  };
  const wanted = begun?.heading;
  useEffect(() => {
    if (!wanted) return;
    const timer = setTimeout(() => {
      if (mode === "read" && scrollToHeading(prose.current, slugOf(wanted))) return;
      const at = session.text
        .split("\n")
        .findIndex(
          (text) => /^#{1,6}\s/.test(text) && slugOf(text.replace(/^#+\s/, "")) === slugOf(wanted),
        );
      if (at >= 0) goToLine(at);
    });
    return () => clearTimeout(timer);
    // Follow the link once.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [wanted]);

  const rename = (next: string) => {
    const before = session.state.get().title;
    if (editor.current) editor.current.rename(next);
    else {
      const text = retitle(session.text, before, next);
      if (text !== session.text) session.editText(() => text);
    }
    session.editTitle(next);
  };
  const toggleTask = (at: number) => {
    const text = toggleTaskLine(session.text, at);
    if (text === session.text) return;
    session.editText(() => text);
    editor.current?.give(text, session.state.get().title);
  };

  const heading = (
    <>
      <TitleField
        ref={title}
        value={state.title}
        readOnly={readOnly}
        autoFocus={begun?.begun === true && state.title === "" && !narrow}
        onChange={rename}
        onFinish={() => session.finishTitle()}
        onLeave={() => editor.current?.focus()}
      />
      <NoteFacts session={session} note={note} />
    </>
  );
  const reading = (
    <Reading
      prose={prose}
      session={session}
      links={table}
      files={files}
      readOnly={readOnly}
      onFollow={follow}
      onToggleTask={toggleTask}
      onRendered={() => {
        if (mode === "read") restoreLine();
        line.current = 0;
      }}
    />
  );
  const writing = (
    <EditorHost
      editor={editor}
      session={session}
      links={links}
      files={files}
      conceals={mode === "write"}
      onFollow={follow}
      onLeaveTop={() => title.current?.focus()}
      onEscape={() => article.current && restFocus(article.current)}
      onFiles={(pasted) => void attach.add(pasted)}
      onReady={(created) => {
        if (begun?.begun && state.title !== "") created.focus();
      }}
    />
  );
  const isConflict = state.status.kind === "conflict";
  const showsRevision =
    location.panel === "history" && location.revision !== null && note !== undefined;

  const formats =
    mode === "read" || isConflict || showsRevision
      ? undefined
      : (format: Format) => editor.current?.run(format);

  return (
    <article ref={article} className="notes-note" aria-label={titleOf(state)}>
      <NoteHeader
        session={session}
        note={note}
        narrow={narrow}
        mode={mode}
        onMode={setMode}
        onFormat={formats}
        onAttach={readOnly ? undefined : attachFiles}
      />
      {formats && <FormatCommands onFormat={formats} />}
      <StatusNotice session={session} note={note} />
      {!readOnly && (
        <UploadStrip
          note={session.id}
          count={attachments.length}
          onReady={attach.ready}
          onCancel={attach.cancelled}
        />
      )}
      <div className="notes-note-main" data-panel={location.panel ?? undefined}>
        {isConflict ? (
          <Conflict session={session} note={note} />
        ) : showsRevision ? (
          <RevisionView session={session} note={note} revision={location.revision ?? ""} />
        ) : mode === "split" ? (
          <div className="notes-split">
            <div ref={scroller} className="notes-scroll">
              <div className="notes-column">
                {heading}
                {writing}
              </div>
            </div>
            <div
              ref={readingScroller}
              className="notes-scroll notes-scroll-reading"
              role="region"
              aria-label="Preview"
            >
              <div className="notes-column">
                <h2 className="notes-title">{titleOf(state)}</h2>
                {reading}
              </div>
            </div>
          </div>
        ) : (
          <div
            ref={scroller}
            className="notes-scroll"
            onClick={(event) => {
              // The free space below a short text belongs to it.
              if (event.target === event.currentTarget && mode === "write") editor.current?.focus();
            }}
          >
            <div className="notes-column">
              {heading}
              {mode === "read" ? reading : writing}
            </div>
          </div>
        )}
        {location.panel && <SidePanel session={session} note={note} onGoToLine={goToLine} />}
      </div>
    </article>
  );
}
