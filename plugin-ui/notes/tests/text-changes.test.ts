import { history, undo } from "@codemirror/commands";
import { EditorState, Transaction, type TransactionSpec } from "@codemirror/state";
import { describe, expect, it } from "vitest";
import { textChanges } from "../src/editor/text-changes.ts";

const apply = (before: string, after: string) =>
  EditorState.create({ doc: before })
    .update({ changes: textChanges(before, after) })
    .state.doc.toString();

describe("textChanges", () => {
  it("transforms one text into the other", () => {
    const texts = [
      "",
      "\n",
      "a",
      "a\n",
      "a\nb",
      "a\nb\n",
      "\na",
      "b\na\nb",
      "a\n\nb\n\nc",
      "x\n\nb\n\nc\ny",
    ];
    for (const before of texts) {
      for (const after of texts) expect(apply(before, after)).toBe(after);
    }
  });

  it("keeps equal characters of a changed line", () => {
    expect(textChanges("one\ntwo words\nthree", "one\ntwo more words\nthree")).toEqual([
      { from: 8, to: 8, insert: "more " },
    ]);
  });

  it("never splits a surrogate pair", () => {
    expect(textChanges("a 👩 b", "a 👦 b")).toEqual([{ from: 2, to: 4, insert: "👦" }]);
    expect(textChanges("a \u{1F467} b", "a \u{1F4A7} b")).toEqual([
      { from: 2, to: 4, insert: "\u{1F4A7}" },
    ]);
  });

  it("preserves the cursor and undo between changes", () => {
    let state = EditorState.create({ doc: "one\n\ntwo\n\nthree", extensions: history() });
    const dispatch = (spec: TransactionSpec) => (state = state.update(spec).state);
    dispatch({ changes: { from: 8, insert: "!" }, selection: { anchor: 9 }, userEvent: "input" });
    const before = state.doc.toString();
    dispatch({
      changes: textChanges(before, "ONE\n\ntwo!\n\nTHREE"),
      annotations: Transaction.addToHistory.of(false),
    });
    expect(state.doc.toString()).toBe("ONE\n\ntwo!\n\nTHREE");
    expect(state.selection.main.head).toBe(9);
    undo({ state, dispatch: (transaction) => (state = transaction.state) });
    expect(state.doc.toString()).toBe("ONE\n\ntwo\n\nTHREE");
  });
});
