import { filter, type Filter } from "@tenon/ui/records";
import { describe, expect, it } from "vitest";
import { blankRecord, newId } from "../../src/records/fields.ts";
import { belongs, order } from "../../src/records/match.ts";

const record = { id: "1", title: "it's", hours: 2.5, due: null, done: false, tags: ["a"] };
const asked = (one: Filter, q?: string) => belongs({ filter: one, q }, record);

describe("belongs", () => {
  it("evaluates plain comparisons", () => {
    expect(asked(filter`title = ${"it's"}`)).toBe(true);
    expect(asked(filter`title != ${"it's"}`)).toBe(false);
    expect(asked(filter`hours > ${2} and hours <= ${2.5} and hours != ${-3}`)).toBe(true);
    expect(asked(filter`hours < ${2.5}`)).toBe(false);
    expect(asked(filter`hours >= ${3}`)).toBe(false);
    expect(asked(filter`done = ${false} and due = null`)).toBe(true);
    expect(asked(filter`(title = ${"it's"}) and (done = ${true})`)).toBe(false);
    expect(asked(filter`title = ${"a and b or (c)"}`)).toBe(false);
  });

  it("treats empty values like the expression language", () => {
    expect(asked(filter`due != ${"2026-01-01"}`)).toBe(true);
    expect(asked(filter`due < ${"2026-01-01"}`)).toBe(false);
    expect(asked(filter`due >= null`)).toBe(false);
  });

  it("returns unknown for server-only expressions", () => {
    for (const one of [
      filter`title = ${"x"} or done = ${false}`,
      filter`not done = ${true}`,
      filter`owner.name = ${"x"}`,
      filter`title in ${["x"]}`,
      filter`title like ${"x%"}`,
      filter`lower(title) = ${"x"}`,
      filter`due < @today`,
      filter`tags = ${"a"}`,
      filter`title > ${1}`,
      filter`title = hours`,
      filter`other = ${1}`,
      filter`(title = ${"it's"} and (done = ${false}))  = ${true}`,
    ]) {
      expect(asked(one), String(one)).toBeUndefined();
    }
    expect(asked(filter`done = ${false}`, "words")).toBeUndefined();
    // One that does not hold decides, whatever the others are.
    expect(asked(filter`other = ${1} and done = ${true}`)).toBe(false);
    expect(belongs({}, record)).toBe(true);
  });
});

it("sorts records like the server", () => {
  const rows = [
    { n: 2, t: "a" },
    { n: null, t: "b" },
    { n: 2, t: "c" },
    { n: 10, t: "d" },
  ];
  const sorted = (...sort: string[]) =>
    rows
      .toSorted(order(sort))
      .map(({ t }) => t)
      .join("");
  expect(sorted("n", "-t")).toBe("bcad");
  expect(sorted("-n", "t")).toBe("dacb");
  expect(sorted()).toBe("abcd");
});

it("fills a new record with host defaults", () => {
  const blank = blankRecord(
    {
      title: { type: "text", required: true },
      state: { type: "choice", default: "open" },
      tags: { type: "choice", many: true },
      due: { type: "date" },
      version: { type: "integer", required: true, readOnly: true },
      created: { type: "datetime", required: true, readOnly: true },
    },
    { id: "1", title: "a" },
  );
  expect(blank).toEqual({
    id: "1",
    title: "a",
    state: "open",
    tags: [],
    due: null,
    version: 1,
    created: expect.stringMatching(/^\d{4}-.*Z$/) as string,
  });
});

it("generates ordered UUIDs of version 7", () => {
  const [one, other] = [newId(1_700_000_000_000), newId(1_700_000_000_001)];
  expect(one).toMatch(/^018bcfe5-6800-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(other > one).toBe(true);
  expect(newId(0)).not.toBe(newId(0));
});
