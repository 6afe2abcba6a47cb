import { completionStatus } from "@codemirror/autocomplete";
import {
  defaultKeymap,
  history,
  historyKeymap,
  indentLess,
  indentMore,
} from "@codemirror/commands";
import {
  deleteMarkupBackward,
  insertNewlineContinueMarkup,
  pasteURLAsLink,
} from "@codemirror/lang-markdown";
import { indentUnit, syntaxTree } from "@codemirror/language";
import { search, searchKeymap } from "@codemirror/search";
import {
  Annotation,
  Compartment,
  EditorState,
  Prec,
  Transaction,
  type Extension,
  type StateCommand,
} from "@codemirror/state";
import {
  drawSelection,
  dropCursor,
  EditorView,
  keymap,
  placeholder,
  type KeyBinding,
} from "@codemirror/view";
import type { NoteLink } from "../model/types.ts";
import type { FileTable } from "../model/files.ts";
import { lineEndOf, linesOf, type LineEnd } from "../model/line-ends.ts";
import { formatKeys, formats, type Format } from "./format.ts";
import { notesHighlighting, notesLanguage } from "./language.ts";
import { linkActions, links, linkTable, setLinks, type LinkActions } from "./links.ts";
import { firstPosition, liveBlocks } from "./live-blocks.ts";
import { files, setFiles } from "./live-files.ts";
import { liveMarks } from "./live-marks.ts";
import { allowConstructedSheets } from "./style-sheets.ts";
import { textChanges } from "./text-changes.ts";
import { noteTitle, setTitle, titleHeading } from "./title-heading.ts";
import { wikiComplete, type Suggest } from "./wiki-complete.ts";

export interface NoteEditorOptions extends LinkActions {
  parent: HTMLElement;
  text: string;
  title: string;
  /** Shows the text as it will look, the marks hidden; else as it is written. */
  conceals: boolean;
  suggest: Suggest;
  /** The person has changed the text. */
  onChange(read: () => string): void;
  /** Up from the first line. */
  onLeaveTop(): void;
  /** Escape: takes the focus. */
  onEscape(): void;
  /** Files were pasted. */
  onFiles(files: readonly File[]): void;
}

/** A text from elsewhere, which is no change of this person's. */
const given = Annotation.define<boolean>();

/** The editor of one note. */
export class NoteEditor {
  readonly view: EditorView;
  private readonly look = new Compartment();
  /** The editor knows one sign for the end of a line; files from Windows have two. */
  private lineEnd: LineEnd;

  constructor(options: NoteEditorOptions) {
    allowConstructedSheets();
    const { parent, text, title, conceals } = options;
    this.lineEnd = lineEndOf(text);
    const state = EditorState.create({
      doc: text,
      extensions: [
        noteTitle.init(() => title),
        links,
        linkActions.of(options),
        notesLanguage,
        notesHighlighting,
        this.look.of(lookOf(conceals)),
        history(),
        drawSelection(),
        dropCursor(),
        EditorView.lineWrapping,
        EditorState.allowMultipleSelections.of(true),
        indentUnit.of("  "),
        search({ top: true }),
        wikiComplete(options.suggest),
        pasteURLAsLink,
        placeholder("Write, or type [[ to link a note"),
        keysOf(options),
        files,
        pastedFiles(options.onFiles),
        EditorView.contentAttributes.of({
          "aria-label": "Text",
          spellcheck: "true",
          autocorrect: "on",
          autocapitalize: "sentences",
        }),
        EditorView.updateListener.of((update) => {
          const own = update.transactions.some(
            (transaction) => transaction.docChanged && !transaction.annotation(given),
          );
          if (own) options.onChange(this.reader());
        }),
      ],
    });
    this.view = new EditorView({ parent, state });
    this.view.dispatch({ selection: { anchor: firstPosition(this.view.state) } });
  }

  /** Reads the text as it is now, also after the editor is gone. */
  private reader(): () => string {
    const { doc } = this.view.state;
    const { lineEnd } = this;
    return () => doc.sliceString(0, doc.length, lineEnd);
  }

  setLook(conceals: boolean): void {
    this.view.dispatch({ effects: this.look.reconfigure(lookOf(conceals)) });
  }

  setLinks(table: readonly NoteLink[]): void {
    this.view.dispatch({ effects: setLinks.of(linkTable(table)) });
  }

  setFiles(table: FileTable): void {
    this.view.dispatch({ effects: setFiles.of(table) });
  }

  /** Inserts Markdown at the cursor, or below the line of the cursor, as paragraphs of its own. */
  insertBlock(markdown: string): void {
    const { state } = this.view;
    const { head } = state.selection.main;
    const line = state.doc.lineAt(head);
    const at = line.text.trim() === "" ? line.from : line.to;
    const before = line.text.trim() !== "" ? "\n\n" : "";
    const insert = `${before}${markdown}\n`;
    this.view.dispatch({
      changes: { from: at, to: line.text.trim() === "" ? line.to : at, insert },
      selection: { anchor: at + insert.length },
      scrollIntoView: true,
      userEvent: "input.paste",
    });
  }

  /** The note has this title now. */
  setTitle(title: string): void {
    if (this.view.state.field(noteTitle) !== title)
      this.view.dispatch({ effects: setTitle.of(title) });
  }

  /** The person renames the note: a first heading that says the same is renamed with it. */
  rename(title: string): void {
    const { state } = this.view;
    const heading = title.trim() === "" ? null : titleHeading(state.doc, state.field(noteTitle));
    this.view.dispatch({
      effects: setTitle.of(title),
      changes: heading ? { from: heading.from, to: heading.to, insert: title.trim() } : undefined,
    });
  }

  /** Shows a text from elsewhere. The cursor and what can be undone stay as they are, outside the changed places. */
  give(source: string, title: string): void {
    this.lineEnd = lineEndOf(source);
    this.view.dispatch({
      changes: textChanges(this.view.state.doc.toString(), linesOf(source).join("\n")),
      effects: setTitle.of(title),
      annotations: [given.of(true), Transaction.addToHistory.of(false)],
    });
  }

  run(format: Format): void {
    formats[format](this.view);
    this.view.focus();
  }

  focus(): void {
    this.view.focus();
  }

  /** Goes to a line, from 1. */
  goToLine(line: number): void {
    const { doc } = this.view.state;
    const { from } = doc.line(Math.max(1, Math.min(line, doc.lines)));
    this.view.dispatch({
      selection: { anchor: from },
      effects: EditorView.scrollIntoView(from, { y: "start", yMargin: 24 }),
    });
    this.view.focus();
  }

  destroy(): void {
    this.view.destroy();
  }
}

function lookOf(conceals: boolean): Extension {
  return [
    liveMarks({ conceals }),
    conceals ? liveBlocks : [],
    EditorView.editorAttributes.of({ class: conceals ? "md-live" : "md-source" }),
  ];
}

const codeMirrorKey = (keys: string) =>
  keys
    .split("+")
    .map((key) => ({ mod: "Mod", shift: "Shift", alt: "Alt" })[key] ?? key)
    .join("-");

/** In a list, a quote or code, Tab indents; elsewhere it moves to the next control. */
const whereTabIndents: (command: StateCommand) => StateCommand = (command) => (target) => {
  const { state } = target;
  for (let node = syntaxTree(state).resolveInner(state.selection.main.head, -1); ;) {
    if (["ListItem", "FencedCode", "CodeBlock"].includes(node.name)) return command(target);
    if (!node.parent) return state.selection.main.empty ? false : command(target);
    node = node.parent;
  }
};

function keysOf({ onLeaveTop, onEscape }: NoteEditorOptions): Extension {
  const formatting: KeyBinding[] = Object.entries(formatKeys).map(([format, keys]) => ({
    key: codeMirrorKey(keys),
    run: formats[format as Format],
    preventDefault: true,
  }));
  const leave: KeyBinding = {
    key: "ArrowUp",
    run(view) {
      const { main } = view.state.selection;
      if (!main.empty || completionStatus(view.state) === "active") return false;
      const first = view.state.doc.lineAt(firstPosition(view.state));
      if (main.head > first.to) return false;
      const [top, at] = [view.coordsAtPos(first.from), view.coordsAtPos(main.head)];
      // A long line has several rows.
      if (top && at && at.top > top.bottom - 2) return false;
      onLeaveTop();
      return true;
    },
  };
  return [
    Prec.high(
      keymap.of([
        leave,
        {
          key: "Backspace",
          run(view) {
            const { main } = view.state.selection;
            const first = firstPosition(view.state);
            if (!main.empty || main.head !== first || first === 0) return false;
            onLeaveTop();
            return true;
          },
        },
        { key: "Enter", run: insertNewlineContinueMarkup },
        { key: "Backspace", run: deleteMarkupBackward },
        { key: "Tab", run: whereTabIndents(indentMore), shift: whereTabIndents(indentLess) },
        {
          key: "Escape",
          run(view) {
            if (completionStatus(view.state) !== null || !view.state.selection.main.empty)
              return false;
            onEscape();
            return true;
          },
        },
        ...formatting,
      ]),
    ),
    // The shell's palette has this key.
    keymap.of(
      [...searchKeymap, ...historyKeymap, ...defaultKeymap].filter(({ key }) => key !== "Mod-k"),
    ),
  ];
}

/** Office programs copy a picture in addition to the text: the text is meant. */
function pastedFiles(take: (files: readonly File[]) => void): Extension {
  return EditorView.domEventHandlers({
    paste(event) {
      const data = event.clipboardData;
      const pasted = [...(data?.files ?? [])];
      if (pasted.length === 0 || data?.types.includes("text/plain")) return false;
      event.preventDefault();
      take(pasted);
      return true;
    },
  });
}
