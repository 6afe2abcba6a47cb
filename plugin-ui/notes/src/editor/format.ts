import { EditorSelection, type ChangeSpec, type StateCommand } from "@codemirror/state";

/** Puts a mark around what is selected, or takes it away. Without a selection, around the word. */
export function toggleMark(mark: string): StateCommand {
  return ({ state, dispatch }) => {
    if (state.readOnly) return false;
    const size = mark.length;
    const change = state.changeByRange((range) => {
      const word = range.empty ? state.wordAt(range.head) : null;
      const { from, to } = word ?? range;
      const inside = state.sliceDoc(from, to);
      const around =
        state.sliceDoc(from - size, from) === mark && state.sliceDoc(to, to + size) === mark;
      if (around) {
        return {
          changes: [
            { from: from - size, to: from },
            { from: to, to: to + size },
          ],
          range: EditorSelection.range(range.anchor - size, range.head - size),
        };
      }
      if (inside.length >= 2 * size && inside.startsWith(mark) && inside.endsWith(mark)) {
        return {
          changes: { from, to, insert: inside.slice(size, -size) },
          range: EditorSelection.range(from, to - 2 * size),
        };
      }
      return {
        changes: [
          { from, insert: mark },
          { from: to, insert: mark },
        ],
        range: EditorSelection.range(range.anchor + size, range.head + size),
      };
    });
    dispatch(state.update(change, { scrollIntoView: true, userEvent: "input" }));
    return true;
  };
}

const prefixes = /^(\s*)(#{1,6} |> |(?:[-*+]|\d+[.)]) (?:\[[ xX]\] )?)?/;

/** Begins the selected lines with `prefix` (as `- `, `## `), or takes it away when all have it. */
export function toggleLine(prefix: string): StateCommand {
  return ({ state, dispatch }) => {
    if (state.readOnly) return false;
    const lines = new Map<number, { from: number; text: string }>();
    for (const range of state.selection.ranges) {
      for (let at = state.doc.lineAt(range.from); ; at = state.doc.line(at.number + 1)) {
        if (at.text.trim() !== "" || range.empty) lines.set(at.number, at);
        if (at.to >= range.to) break;
      }
    }
    const parts = [...lines.values()].map(({ from, text }) => {
      const [whole = "", indent = "", present = ""] = prefixes.exec(text) ?? [];
      return { from: from + indent.length, to: from + whole.length, present };
    });
    const all = parts.every(({ present }) => present === prefix);
    const changes: ChangeSpec[] = parts.map(({ from, to }, index) => ({
      from,
      to,
      insert: all ? "" : prefix === "1. " ? `${index + 1}. ` : prefix,
    }));
    const set = state.changes(changes);
    dispatch(
      state.update({
        changes: set,
        selection: state.selection.map(set, 1),
        scrollIntoView: true,
        userEvent: "input",
      }),
    );
    return true;
  };
}

/** Makes a link of what is selected; the cursor moves to where the address goes. */
export const insertLink: StateCommand = ({ state, dispatch }) => {
  if (state.readOnly) return false;
  const change = state.changeByRange(({ from, to }) => {
    const text = state.sliceDoc(from, to);
    const insert = `[${text}]()`;
    const cursor = from + (text === "" ? 1 : insert.length - 1);
    return { changes: { from, to, insert }, range: EditorSelection.cursor(cursor) };
  });
  dispatch(state.update(change, { scrollIntoView: true, userEvent: "input" }));
  return true;
};

/** Begins a link to another note; the list of notes opens by it. */
export const insertNoteLink: StateCommand = ({ state, dispatch }) => {
  if (state.readOnly) return false;
  const change = state.changeByRange(({ from, to }) => {
    const text = state.sliceDoc(from, to);
    return {
      changes: { from, to, insert: `[[${text}` },
      range: EditorSelection.cursor(from + 2 + text.length),
    };
  });
  dispatch(state.update(change, { scrollIntoView: true, userEvent: "input.type" }));
  return true;
};

/** Puts a block on lines of its own. */
export function insertBlock(block: string, cursor: number): StateCommand {
  return ({ state, dispatch }) => {
    if (state.readOnly) return false;
    const { head } = state.selection.main;
    const line = state.doc.lineAt(head);
    const before = line.text.trim() === "" ? "" : "\n\n";
    const at = line.text.trim() === "" ? line.from : line.to;
    const insert = `${before}${block}\n`;
    dispatch(
      state.update({
        changes: { from: at, insert },
        selection: { anchor: at + before.length + cursor },
        scrollIntoView: true,
        userEvent: "input",
      }),
    );
    return true;
  };
}

const table = "| Column | Column |\n| --- | --- |\n|  |  |";

/** The commands of the format menu and the keys of the editor. */
export const formats = {
  bold: toggleMark("**"),
  italic: toggleMark("*"),
  strike: toggleMark("~~"),
  code: toggleMark("`"),
  heading1: toggleLine("# "),
  heading2: toggleLine("## "),
  heading3: toggleLine("### "),
  bullets: toggleLine("- "),
  numbers: toggleLine("1. "),
  tasks: toggleLine("- [ ] "),
  quote: toggleLine("> "),
  link: insertLink,
  noteLink: insertNoteLink,
  codeBlock: insertBlock("```\n\n```", 4),
  table: insertBlock(table, 2),
  divider: insertBlock("---\n", 5),
} satisfies Record<string, StateCommand>;

export type Format = keyof typeof formats;

/** Keys of the formats that have some, as CodeMirror and as the menus write them. */
export const formatKeys: Partial<Record<Format, string>> = {
  bold: "mod+b",
  italic: "mod+i",
  strike: "mod+shift+x",
  code: "mod+shift+c",
  heading1: "mod+alt+1",
  heading2: "mod+alt+2",
  heading3: "mod+alt+3",
  bullets: "mod+shift+8",
  numbers: "mod+shift+7",
  tasks: "mod+shift+9",
  quote: "mod+shift+.",
  noteLink: "mod+shift+k",
};
