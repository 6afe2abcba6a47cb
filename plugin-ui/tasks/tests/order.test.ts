import { describe, expect, it } from "vitest";
import { byPosition, keyAtEnd, reorder, type Placed } from "../src/model/order.ts";

const at = (id: string, position: string): Placed => ({ id, position });
const order = (all: readonly Placed[]) =>
  all
    .toSorted(byPosition)
    .map(({ id }) => id)
    .join("");

/** The list with the keys that `reorder` returns. */
function placed(others: readonly Placed[], index: number, id: string): Placed[] {
  const keys = new Map(reorder(others, index, id).map((one) => [one.id, one]));
  return [...others.filter((one) => !keys.has(one.id)), ...keys.values()];
}

describe("card order", () => {
  it("matches the server: code points, then id", () => {
    expect(order([at("c", "a1"), at("b", "Zz"), at("a", "a1"), at("d", "aa"), at("e", "aZ")])).toBe(
      "baced",
    );
  });

  it("changes one key per move", () => {
    const all = [at("a", "a0"), at("b", "a1"), at("c", "a2")];
    for (const [index, wanted] of ["xabc", "axbc", "abxc", "abcx"].entries()) {
      expect(reorder(all, index, "x")).toHaveLength(1);
      expect(order(placed(all, index, "x"))).toBe(wanted);
    }
  });

  it("handles two cards at the same position", () => {
    const all = [at("a", "a0"), at("p", "a1"), at("q", "a1"), at("r", "a1"), at("z", "a2")];
    expect(order(placed(all, 2, "x"))).toBe("apxqrz");
    expect(order(placed(all, 3, "x"))).toBe("apqxrz");
    // Those before keep their keys, and so do those after.
    expect(reorder(all, 2, "x").map(({ id }) => id)).toEqual(["x", "q", "r"]);
    expect(reorder(all, 4, "x").map(({ id }) => id)).toEqual(["x"]);
  });

  it("stays sorted after repeated inserts", () => {
    let all: Placed[] = [at("first", "a0"), at("last", "a1")];
    for (let count = 0; count < 200; count++) {
      const others = all.toSorted(byPosition);
      all = [...all, ...reorder(others, 1, `n${count}`)];
    }
    const keys = all.toSorted(byPosition).map(({ position }) => position);
    expect(new Set(keys).size).toBe(202);
    expect(Math.max(...keys.map(({ length }) => length))).toBeLessThan(200);
  });

  it("appends after the last card", () => {
    expect(keyAtEnd([])).toBe("a0");
    expect(keyAtEnd([at("a", "a0"), at("b", "a0V")])).toBe("a1");
  });
});
