import { describe, expect, it } from "vitest";
import { blankRecord, splitIncrements, type Fields } from "../../src/records/fields.ts";
import { oneWithPending, withPending, type Pending } from "../../src/records/memory.ts";
import { insert, type Page, without } from "../../src/records/pages.ts";

const page = (more: Partial<Page>): Page => ({ items: [{ id: "a" }], next: null, ...more });

describe("pages of records", () => {
  it("counts what is inserted and removed", () => {
    expect(insert(page({ total: 1 }), { id: "b" }, undefined)).toMatchObject({ total: 2 });
    expect(without(page({ total: 1 }), "a")).toMatchObject({ total: 0 });
  });

  it("keeps a total that is a lower bound", () => {
    const bounded = page({ total: 10_000, total_is: "at_least" });
    expect(insert(bounded, { id: "b" }, undefined)).toMatchObject({ total: 10_000 });
    expect(without(bounded, "a")).toMatchObject({ total: 10_000 });
  });
});

describe("changes that are not confirmed yet", () => {
  const fields: Fields = {
    clicks: { type: "integer" },
    rest: { type: "json" },
    owner: { type: "user", default: "@user" },
  };
  const update = (patch: object, before: Record<string, unknown> = {}): Pending => ({
    kind: "update",
    id: "a",
    ...splitIncrements(fields, { ...patch }),
    before: { id: "a", ...before },
  });
  const twice = [update({ clicks: { increment: 2 } }), update({ clicks: { increment: 1 } })];

  it("add each increment to the number shown", () => {
    const tagged = { record: { id: "a", clicks: 4 }, etag: null };
    expect(oneWithPending(tagged, twice).record).toEqual({ id: "a", clicks: 7 });
    expect(
      withPending(page({ items: [{ id: "a", clicks: null }] as Page["items"] }), twice, {}),
    ).toMatchObject({
      items: [{ id: "a", clicks: 3 }],
    });
  });

  it("leave an unknown number unknown", () => {
    expect(oneWithPending({ record: { id: "a" }, etag: null }, twice).record).toEqual({ id: "a" });
  });

  it("replace a JSON value that looks alike", () => {
    const tagged = { record: { id: "a", rest: 1 }, etag: null };
    expect(oneWithPending(tagged, [update({ rest: { increment: 1 } })]).record).toEqual({
      id: "a",
      rest: { increment: 1 },
    });
  });

  it("show no user who is a default", () => {
    expect(blankRecord(fields, { id: "a" }).owner).toBeNull();
  });
});
