import { describe, expect, it } from "vitest";
import { changedLines, maxChangedLines } from "../src/model/changed-lines.ts";
import { mergeTexts } from "../src/model/three-way-merge.ts";

const text = (...lines: string[]) => lines.join("\n");
/** The merged text; fails when the changes overlap. */
function merge(base: string, mine: string, theirs: string): string {
  const merged = mergeTexts(base, mine, theirs);
  expect(merged.overlaps).toBe(0);
  expect(merged.theirs).toBe(merged.mine);
  // The sides may be exchanged.
  expect(mergeTexts(base, theirs, mine).mine.replaceAll("\r", "")).toBe(
    merged.mine.replaceAll("\r", ""),
  );
  return merged.mine;
}

describe("mergeTexts without an overlap", () => {
  const base = text("one", "", "two", "", "three", "");

  it("merges changes of different paragraphs", () => {
    const mine = text("ONE", "", "two", "", "three", "");
    const theirs = text("one", "", "two", "", "THREE", "");
    expect(merge(base, mine, theirs)).toBe(text("ONE", "", "two", "", "THREE", ""));
  });

  it("merges changes of neighbouring lines", () => {
    const tasks = text("- [ ] a", "- [ ] b", "- [ ] c");
    expect(
      merge(tasks, text("- [x] a", "- [ ] b", "- [ ] c"), text("- [ ] a", "- [x] b", "- [ ] c")),
    ).toBe(text("- [x] a", "- [x] b", "- [ ] c"));
  });

  it("merges several changes of each side", () => {
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`);
    const mine = lines.with(0, "mine 0").with(10, "mine 10").with(19, "mine 19");
    const theirs = lines.with(5, "theirs 5").toSpliced(15, 1);
    expect(merge(text(...lines), text(...mine), text(...theirs))).toBe(
      text(...mine.with(5, "theirs 5").toSpliced(15, 1)),
    );
  });

  it("merges insertions at different positions", () => {
    expect(merge(text("a", "b"), text("mine", "a", "b"), text("a", "b", "theirs"))).toBe(
      text("mine", "a", "b", "theirs"),
    );
  });

  it("merges an insertion next to a changed line", () => {
    expect(merge(text("a", "b"), text("a", "mine", "b"), text("a", "B"))).toBe(
      text("a", "mine", "B"),
    );
    expect(merge(text("a", "b"), text("a", "b", "mine"), text("a", "B"))).toBe(
      text("a", "B", "mine"),
    );
  });

  it("merges deletions of different lines", () => {
    expect(merge(base, text("one", "", "three", ""), text("one", "", "two", ""))).toBe(
      text("one", ""),
    );
    expect(merge(text("a", "b", "c"), text("b", "c"), text("a", "b"))).toBe("b");
  });

  it("merges a deletion next to an insertion", () => {
    expect(merge(text("a", "b", "c"), text("a", "c"), text("a", "b", "x", "c"))).toBe(
      text("a", "x", "c"),
    );
  });

  it("applies the same change once", () => {
    const same = text("one", "", "TWO", "", "three", "");
    expect(merge(base, same, same)).toBe(same);
    expect(merge(base, text("ONE", "", "TWO", "", "three", ""), same)).toBe(
      text("ONE", "", "TWO", "", "three", ""),
    );
    expect(merge("", text("a", "b"), text("a", "b"))).toBe(text("a", "b"));
    expect(merge(base, "", "")).toBe("");
  });

  it("keeps an added or removed trailing newline", () => {
    expect(merge(text("a", "b"), text("a", "b", ""), text("A", "b"))).toBe(text("A", "b", ""));
    expect(merge(text("a", "b", ""), text("a", "b"), text("A", "b", ""))).toBe(text("A", "b"));
  });

  it("keeps non-ASCII text", () => {
    const unicode = text("Grüße 👩‍👩‍👧", "e\u0301", "日本語", "\u2028 is no line end");
    expect(merge(unicode, unicode.replace("👩‍👩‍👧", "👩‍👩‍👦"), unicode.replace("日本語", "日本"))).toBe(
      text("Grüße 👩‍👩‍👦", "e\u0301", "日本", "\u2028 is no line end"),
    );
  });

  it("handles lines named like object members", () => {
    expect(merge(text("constructor", "b"), text("constructor", "B"), "__proto__\nb")).toBe(
      text("__proto__", "B"),
    );
  });

  it("keeps each text's line endings", () => {
    expect(merge("a\r\nb\r\nc", "A\r\nb\r\nc", "a\nb\nC")).toBe("A\nb\nC");
    expect(mergeTexts("a\nb\nc", "A\nb\nc", "a\r\nb\r\nC").mine).toBe("A\r\nb\r\nC");
  });
});

describe("mergeTexts with an overlap", () => {
  const base = text("# List", "", "milk", "", "end");

  it("keeps all other changes in both results", () => {
    const mine = text("# My list", "", "oat milk", "", "end");
    const theirs = text("# List", "", "soy milk", "", "the end");
    expect(mergeTexts(base, mine, theirs)).toEqual({
      mine: text("# My list", "", "oat milk", "", "the end"),
      theirs: text("# My list", "", "soy milk", "", "the end"),
      overlaps: 1,
    });
  });

  it("reports insertions at the same position", () => {
    expect(mergeTexts("a\nb", "a\nmine\nb", "a\ntheirs\nb")).toEqual({
      mine: "a\nmine\nb",
      theirs: "a\ntheirs\nb",
      overlaps: 1,
    });
    expect(mergeTexts("", "mine", "theirs").overlaps).toBe(1);
  });

  it("reports text appended by both sides", () => {
    expect(mergeTexts("one\n\ntwo\n", "one\n\ntwo\nmine", "one\n\ntwo\ntheirs").overlaps).toBe(1);
  });

  it("reports a deleted line the other changed", () => {
    expect(mergeTexts(base, text("# List", "end"), text("# List", "", "MILK", "", "end"))).toEqual({
      mine: text("# List", "end"),
      theirs: text("# List", "", "MILK", "", "end"),
      overlaps: 1,
    });
  });

  it("reports partially overlapping ranges", () => {
    expect(mergeTexts("a\nb\nc\nd", "X\nc\nd", "a\nY\nd").overlaps).toBe(1);
    expect(mergeTexts("a\nb\nc\nd\ne", "1\n2\nc\n3\n4", "a\nx\ny\nz\ne").overlaps).toBe(1);
  });

  it("reports touching changes that add one line", () => {
    expect(mergeTexts("a\nb", "A\nnew\nb", "a\nnew\nB")).toEqual({
      mine: "A\nnew\nb",
      theirs: "a\nnew\nB",
      overlaps: 1,
    });
  });

  it("reports texts without a common part", () => {
    expect(mergeTexts("a\nb", "mine", "theirs")).toEqual({
      mine: "mine",
      theirs: "theirs",
      overlaps: 1,
    });
  });
});

describe("changedLines", () => {
  it("transforms one text into the other", () => {
    const before = ["a", "b", "", "c", "", "d"];
    const after = ["x", "b", "", "", "d", "e"];
    const lines = [...before];
    for (const { from, to, lines: replacement } of changedLines(before, after).reverse())
      lines.splice(from, to - from, ...replacement);
    expect(lines).toEqual(after);
  });

  it("is empty for equal texts", () => {
    expect(changedLines(["a", "", "b"], ["a", "", "b"])).toEqual([]);
  });

  it("treats very different texts as one change", () => {
    const lines = (word: string) =>
      Array.from({ length: maxChangedLines }, (_, index) => `${word} ${index}`);
    expect(
      changedLines(["first", ...lines("a"), "last"], ["first", ...lines("b"), "last"]),
    ).toEqual([{ from: 1, to: maxChangedLines + 1, lines: lines("b") }]);
  });
});
