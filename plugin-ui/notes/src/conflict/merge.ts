import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorState, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, keymap } from "@codemirror/view";
import { notesHighlighting, notesLanguage } from "../editor/language.ts";
import { allowConstructedSheets } from "../editor/style-sheets.ts";
import { lineEndOf } from "../model/line-ends.ts";

export interface MergeOptions {
  parent: HTMLElement;
  theirs: string;
  mine: string;
  onChange(read: () => string): void;
}

export interface Merge {
  /** Mine, as it is now. */
  text(): string;
  destroy(): void;
}

/** Two texts side by side need this, pixels. */
const narrowest = 560;
const diffConfig = { scanLimit: 1_000, timeout: 300 };
const collapseUnchanged = { margin: 3, minSize: 6 };

/** Shows theirs next to mine, which can be edited and takes over parts of theirs. */
export function createMerge({ parent, theirs, mine, onChange }: MergeOptions): Merge {
  allowConstructedSheets();
  const lineEnd = lineEndOf(mine);
  const shared: Extension = [
    notesLanguage,
    notesHighlighting,
    EditorView.lineWrapping,
    drawSelection(),
    // They may have merged changes.
    EditorState.phrases.of({ "$ unchanged lines": "$ more lines" }),
  ];
  const reader = (state: EditorState) => () => state.doc.sliceString(0, state.doc.length, lineEnd);
  const editable: Extension = [
    shared,
    history(),
    keymap.of([...historyKeymap, ...defaultKeymap]),
    EditorView.contentAttributes.of({ "aria-label": "Your text" }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onChange(reader(update.state));
    }),
  ];
  if (parent.clientWidth < narrowest) {
    const view = new EditorView({
      parent,
      state: EditorState.create({
        doc: mine,
        extensions: [
          editable,
          EditorState.phrases.of({ Accept: "Use my lines", Reject: "Use their lines" }),
          unifiedMergeView({
            original: theirs.replace(/\r\n?/g, "\n"),
            gutter: false,
            collapseUnchanged,
            diffConfig,
          }),
        ],
      }),
    });
    return { text: () => reader(view.state)(), destroy: () => view.destroy() };
  }
  const view = new MergeView({
    parent,
    a: {
      doc: theirs,
      extensions: [
        shared,
        EditorState.readOnly.of(true),
        EditorView.contentAttributes.of({ "aria-label": "Their text" }),
      ],
    },
    b: { doc: mine, extensions: editable },
    revertControls: "a-to-b",
    renderRevertControl() {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "notes-take";
      button.textContent = "→";
      button.title = "Use their lines";
      button.setAttribute("aria-label", "Use their lines");
      return button;
    },
    collapseUnchanged,
    gutter: false,
    diffConfig,
  });
  return { text: () => reader(view.b.state)(), destroy: () => view.destroy() };
}
