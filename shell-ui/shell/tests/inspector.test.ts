import { describe, expect, it } from "vitest";
import { merged } from "../src/admin/inspector/inspector-api.ts";

const numbers = (...all: number[]) => all.map((number) => ({ number }));

describe("inspector records", () => {
  it("adds newer records and drops the oldest", () => {
    expect(merged(numbers(1, 2), numbers(3, 4), 3)).toEqual(numbers(2, 3, 4));
  });

  it("keeps the records without newer ones", () => {
    expect(merged(numbers(1, 2), [], 3)).toEqual(numbers(1, 2));
  });

  it("replaces the records after a restart", () => {
    expect(merged(numbers(8, 9), numbers(1, 2), 3)).toEqual(numbers(1, 2));
  });
});
