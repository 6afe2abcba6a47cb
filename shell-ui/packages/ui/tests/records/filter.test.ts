import { describe, expect, it } from "vitest";
import { allOf, filter } from "../../src/records/index.ts";

describe("filter", () => {
  it("writes every value as a literal", () => {
    const when = new Date(Date.UTC(2026, 10, 20, 8, 15, 30, 5));
    expect(String(filter`a = ${"x"} and b > ${-1.5} and c = ${true} and d = ${null}`)).toBe(
      "a = 'x' and b > -1.5 and c = true and d = null",
    );
    expect(String(filter`a < ${when}`)).toBe("a < '2026-11-20T08:15:30.005Z'");
    expect(String(filter`a in ${["x", "y"]} or b in ${[1, 2n]}`)).toBe(
      "a in ('x', 'y') or b in (1, 2)",
    );
    expect(String(filter`a = ${1e-7} or b = ${1e21}`)).toBe("a = 1e-7 or b = 1e+21");
    expect(String(filter`true`)).toBe("true");
  });

  it("escapes quotes in text", () => {
    expect(String(filter`a = ${"' or true or a = '"}`)).toBe("a = ''' or true or a = '''");
    expect(String(filter`a = ${"''"}`)).toBe("a = ''''''");
    expect(String(filter`a in ${["', 'b"]}`)).toBe("a in (''', ''b')");
  });

  it("nests filters", () => {
    const either = filter`a = ${1} or b = ${2}`;
    expect(String(filter`${either} and c = ${3}`)).toBe("(a = 1 or b = 2) and c = 3");
    expect(String(allOf(either, undefined, filter`c`))).toBe("(a = 1 or b = 2) and (c)");
    expect(allOf(either, undefined)).toBe(either);
    expect(allOf()).toBeUndefined();
    expect(JSON.stringify({ either })).toBe('{"either":"a = 1 or b = 2"}');
  });

  it("rejects values without a literal", () => {
    expect(() => filter`a = ${NaN}`).toThrow(RangeError);
    expect(() => filter`a = ${Infinity}`).toThrow(RangeError);
    expect(() => filter`a in ${[]}`).toThrow("at least one value");
    expect(() => filter`a < ${new Date(NaN)}`).toThrow(RangeError);
    // @ts-expect-error: what is not there is null, not undefined
    expect(() => filter`a = ${undefined}`).toThrow(TypeError);
    // @ts-expect-error: an object is no value
    expect(() => filter`a = ${{ toString: () => "x" }}`).toThrow(TypeError);
    // @ts-expect-error: null is in no list
    expect(String(filter`a in ${[null]}`)).toBe("a in (null)");
  });
});
