import { describe, expect, it } from "vitest";
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
