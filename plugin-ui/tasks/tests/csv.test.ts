import { describe, expect, it } from "vitest";
import { guessMapping, plan, readDay, readSheet, withKeys } from "../src/transfer/csv.ts";
import { board, card, column, label } from "./sample.ts";

const data = board(
  [column("c1", "a0", { title: "To do" }), column("c2", "a1", { title: "Done" })],
  [card("x", "c1", "a4")],
  [label("l1", "Urgent")],
);

const planned = (text: string) => {
  const sheet = readSheet(text);
  return plan(sheet, guessMapping(sheet.head), data);
};

describe("CSV import", () => {
  it("maps columns to card fields by name", () => {
    const { cards, newColumns, newLabels, wrong } = planned(
      '\uFEFFName;List;Tags;Due date;Notes\nOne;to do;"urgent, New";2026-12-01T09:00:00Z;"two\nlines"\nTwo;Later;;24.12.2026;\nThree;;;;\n',
    );
    expect(wrong).toEqual([]);
    expect(cards.map(({ title, column: where, due }) => [title, where, due])).toEqual([
      ["One", "To do", "2026-12-01"],
      ["Two", "Later", "2026-12-24"],
      ["Three", "To do", null],
    ]);
    expect(cards[0]).toMatchObject({ labels: ["Urgent", "New"], description: "two\nlines" });
    expect([newColumns, newLabels]).toEqual([["Later"], ["New"]]);
  });

  it("skips invalid rows with a reason", () => {
    const { cards, wrong } = planned(
      `title,due\n,2026-01-01\nA,soon\nB,2026-02-30\n${"x".repeat(501)},\nC,\n`,
    );
    expect(cards.map(({ title }) => title)).toEqual(["C"]);
    expect(wrong.map(({ line }) => line)).toEqual([2, 3, 4, 5]);
  });

  it("restores values an export escaped", () => {
    expect(planned("title\n'=1+1\n'quoted'\n''-x\n").cards.map(({ title }) => title)).toEqual([
      "=1+1",
      "'quoted'",
      "'-x",
    ]);
  });

  it("appends to existing cards in order", () => {
    const some = planned("title,column\nOne,To do\nTwo,Later\nThree,To do\n");
    const made = withKeys(
      some,
      new Map([
        ["To do", "c1"],
        ["Later", "c3"],
      ]),
      new Map(),
      data,
    );
    expect(made.map((one) => [one.column, one.position])).toEqual([
      ["c1", "a5"],
      ["c3", "a0"],
      ["c1", "a6"],
    ]);
  });

  it("parses valid dates only", () => {
    expect(["2026-11-05", "5.11.2026", "11/05/2026", "2026-13-01", ""].map(readDay)).toEqual([
      "2026-11-05",
      "2026-11-05",
      null,
      null,
      null,
    ]);
  });
});
