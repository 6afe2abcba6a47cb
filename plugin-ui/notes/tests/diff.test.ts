import { describe, expect, it } from "vitest";
import { difference, type DiffRow } from "../src/panel/diff.ts";

const show = (rows: readonly DiffRow[]) =>
  rows.map((row) => {
    if (row.kind === "gap") return `… ${row.lines}`;
    const mark = { same: " ", removed: "-", added: "+" }[row.kind];
    return mark + row.segments.map(({ text, changed }) => (changed ? `<${text}>` : text)).join("");
  });

describe("text diff", () => {
  it("is empty for equal texts", () => {
    expect(difference("a\nb", "a\nb")).toEqual({ rows: [], added: 0, removed: 0 });
  });

  it("marks changed words in a line", () => {
    const { rows } = difference("one\nthe quick fox\nthree", "one\nthe slow fox\nthree");
    expect(show(rows)).toEqual([" one", "-the <quick> fox", "+the <slow> fox", " three"]);
  });

  it("shows added and removed lines", () => {
    expect(show(difference("a\nc", "a\nb\nc").rows)).toEqual([" a", "+b", " c"]);
    expect(show(difference("a\nb\nc", "a\nc").rows)).toEqual([" a", "-b", " c"]);
    expect(show(difference("", "a\nb").rows).filter((row) => row.startsWith("+"))).toEqual([
      "+a",
      "+b",
    ]);
  });

  it("omits unchanged lines far from a change", () => {
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`);
    const after = lines.with(14, "another");
    const { rows, added, removed } = difference(lines.join("\n"), after.join("\n"));
    expect(show(rows)[0]).toBe("… 11");
    expect(show(rows).at(-1)).toBe("… 12");
    expect([added, removed]).toEqual([1, 1]);
    expect(rows.filter(({ kind }) => kind === "same").length).toBe(6);
  });

  it("ignores a line followed by new lines", () => {
    expect(show(difference("a\nlast", "a\nlast\n\nmore").rows)).toEqual([
      " a",
      " last",
      "+",
      "+more",
    ]);
  });

  it("reproduces both texts", () => {
    const before = "# A\n\none\ntwo\nthree\n\nend\n";
    const after = "# A\n\nzero\none\nTWO!\n\nthe end\n";
    const { rows } = difference(before, after);
    const side = (kinds: string[]) =>
      rows
        .flatMap((row) =>
          row.kind !== "gap" && kinds.includes(row.kind)
            ? [row.segments.map(({ text }) => text).join("")]
            : [],
        )
        .join("\n");
    expect(side(["same", "removed"])).toBe(before);
    expect(side(["same", "added"])).toBe(after);
  });

  it("ignores line endings", () => {
    expect(difference("a\r\nb", "a\nb").rows).toEqual([]);
  });

  it("handles large unrelated texts", () => {
    const before = Array.from({ length: 4_000 }, (_, index) => `before ${index * 7}`).join("\n");
    const after = Array.from({ length: 4_000 }, (_, index) => `after it ${index * 13}`).join("\n");
    const { added, removed } = difference(before, after);
    expect(added).toBeGreaterThan(3_000);
    expect(removed).toBeGreaterThan(3_000);
  });
});
