import { ensureSyntaxTree, syntaxTree } from "@codemirror/language";
import {
  Annotation,
  EditorState,
  StateEffect,
  StateField,
  type Extension,
  type Range,
} from "@codemirror/state";
import { Decoration, EditorView, WidgetType, type DecorationSet } from "@codemirror/view";
import { frontMatterEnd, noteTitle, setTitle, titleHeading } from "./title-heading.ts";
import { readTable, tableElement, type LiveTable } from "./live-table.ts";

/** Texts above this keep their tables as they are written, characters. */
const maxLength = 200_000;

/** The person goes into the front matter on purpose. */
const entering = Annotation.define<boolean>();

const setFocused = StateEffect.define<boolean>();

const focused = StateField.define<boolean>({
  create: () => false,
  update: (value, transaction) =>
    transaction.effects.reduce(
      (last, effect) => (effect.is(setFocused) ? effect.value : last),
      value,
    ),
});

class TableWidget extends WidgetType {
  private readonly source: string;
  private readonly table: LiveTable;

  constructor(source: string, table: LiveTable) {
    super();
    this.source = source;
    this.table = table;
  }
  override eq(other: TableWidget) {
    return other.source === this.source && other.table.from === this.table.from;
  }
  override toDOM(view: EditorView) {
    return tableElement(view, this.table);
  }
  override ignoreEvent() {
    return false;
  }
}

class FrontMatterWidget extends WidgetType {
  private readonly keys: string;

  constructor(keys: string) {
    super();
    this.keys = keys;
  }
  override eq(other: FrontMatterWidget) {
    return other.keys === this.keys;
  }
  override toDOM(view: EditorView) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "md-properties";
    button.textContent = this.keys;
    button.title = "Edit front matter";
    button.addEventListener("mousedown", (event) => event.preventDefault());
    button.addEventListener("click", () => {
      const { doc } = view.state;
      view.dispatch({
        selection: { anchor: doc.line(Math.min(2, doc.lines)).to },
        annotations: entering.of(true),
      });
      view.focus();
    });
    return button;
  }
}

/** Keys that the page shows elsewhere. */
const shownElsewhere = new Set(["title", "tags"]);

function frontMatterKeys(state: EditorState, end: number): string[] {
  return state.doc
    .sliceString(0, end)
    .split("\n")
    .flatMap((line) => /^([\w-]+)\s*:/.exec(line)?.[1] ?? [])
    .filter((key) => !shownElsewhere.has(key));
}

interface Hidden {
  from: number;
  to: number;
  widget?: WidgetType;
}

/** Returns the parts above the text that are shown elsewhere: front matter, and a heading that repeats the title. */
function hiddenAbove(state: EditorState): Hidden[] {
  const { doc } = state;
  const hidden: Hidden[] = [];
  /** The last line from `line` on after which only something blank follows, with something below it. */
  const withBlanks = (line: number) => {
    let last = line;
    while (last < doc.lines && doc.line(last + 1).text.trim() === "") last += 1;
    // Something must be left to write in.
    return last < doc.lines ? last : Math.max(line, doc.lines - 1);
  };
  const end = frontMatterEnd(doc);
  const isEdited =
    state.field(focused) && state.selection.ranges.some(({ from }) => end > 0 && from <= end);
  if (end > 0 && end < doc.length && !isEdited) {
    const keys = frontMatterKeys(state, end);
    hidden.push({
      from: 0,
      to: doc.line(withBlanks(doc.lineAt(end).number)).to,
      widget: keys.length > 0 ? new FrontMatterWidget(keys.join(", ")) : undefined,
    });
  }
  const heading = titleHeading(doc, state.field(noteTitle));
  if (heading && heading.line < doc.lines) {
    hidden.push({ from: doc.line(heading.line).from, to: doc.line(withBlanks(heading.line)).to });
  }
  return hidden;
}

function decorate(state: EditorState): {
  blocks: DecorationSet;
  above: DecorationSet;
  first: number;
} {
  const above = hiddenAbove(state).map(({ from, to, widget }) =>
    Decoration.replace({ block: true, widget }).range(from, to),
  );
  const ranges: Range<Decoration>[] = [...above];
  if (state.doc.length <= maxLength) {
    const tree = ensureSyntaxTree(state, state.doc.length, 20) ?? syntaxTree(state);
    tree.iterate({
      enter(node) {
        if (node.name !== "Table") return !/Code|HTML|Paragraph|Heading/.test(node.name);
        const from = state.doc.lineAt(node.from).from;
        const to = state.doc.lineAt(node.to).to;
        const isEdited =
          state.field(focused) &&
          state.selection.ranges.some((range) => range.from <= to && range.to >= from);
        if (!isEdited && from >= frontMatterEnd(state.doc)) {
          const widget = new TableWidget(state.sliceDoc(from, to), readTable(state, node.node));
          ranges.push(Decoration.replace({ block: true, widget }).range(from, to));
        }
        return false;
      },
    });
  }
  const last = above.at(-1);
  return {
    blocks: Decoration.set(ranges, true),
    above: Decoration.set(above, true),
    first: last ? Math.min(last.to + 1, state.doc.length) : 0,
  };
}

const blocks = StateField.define({
  create: decorate,
  update(value, transaction) {
    const { startState, state } = transaction;
    const isNew =
      transaction.docChanged ||
      transaction.selection !== undefined ||
      syntaxTree(startState) !== syntaxTree(state) ||
      transaction.effects.some((effect) => effect.is(setTitle) || effect.is(setFocused));
    return isNew ? decorate(state) : value;
  },
  provide: (field) => [
    EditorView.decorations.from(field, (value) => value.blocks),
    EditorView.atomicRanges.of((view) => view.state.field(field).above),
  ],
});

/** Returns the position where writing begins: below the hidden parts. */
export function firstPosition(state: EditorState): number {
  return state.field(blocks, false)?.first ?? 0;
}

/** The cursor does not stray into what is not shown above the text. */
const staysBelow = EditorState.transactionFilter.of((transaction) => {
  if (!transaction.selection || transaction.docChanged || transaction.annotation(entering))
    return transaction;
  const first = firstPosition(transaction.startState);
  const { main } = transaction.newSelection;
  if (!main.empty || main.head >= first || transaction.startState.selection.main.head < first)
    return transaction;
  return [transaction, { selection: { anchor: first } }];
});

/** Shows blocks as they will look while the cursor is outside: tables, front matter, the title's heading. */
export const liveBlocks: Extension = [
  focused,
  blocks,
  staysBelow,
  EditorView.focusChangeEffect.of((_state, focusing) => setFocused.of(focusing)),
];
