import { describe, expect, it } from "vitest";
import { drawnCards, nextSpot, spotOf, spotText, type Lifted } from "../src/board/use-lift.ts";
import { board, card, column } from "./sample.ts";

const data = board(
  [column("todo", "a0"), column("doing", "a1"), column("done", "a2")],
  [
    card("a", "todo", "a0"),
    card("b", "todo", "a1"),
    card("c", "todo", "a2"),
    card("d", "doing", "a0"),
  ],
);

function walk(id: string, ...ways: Parameters<typeof nextSpot>[2][]) {
  let held: Lifted = { id, spot: spotOf(data, id) ?? { column: "", before: null }, by: "keyboard" };
  for (const way of ways) held = { ...held, spot: nextSpot(data, held, way) };
  const drawn = (name: string) =>
    drawnCards(data, name, held)
      .map((one) => one.id)
      .join("");
  return {
    text: spotText(data, held),
    board: `${drawn("todo")} ${drawn("doing")} ${drawn("done")}`,
  };
}

describe("a card that is lifted", () => {
  it("stands where it is until it goes", () => {
    expect(walk("b")).toEqual({ text: "todo, place 2 of 3", board: "abc d " });
  });

  it("goes up and down to the ends and no further", () => {
    expect(walk("b", "ArrowUp")).toEqual({ text: "todo, place 1 of 3", board: "bac d " });
    expect(walk("b", "ArrowUp", "ArrowUp").board).toBe("bac d ");
    expect(walk("b", "ArrowDown", "ArrowDown").board).toBe("acb d ");
    expect(walk("b", "End").board).toBe("acb d ");
    expect(walk("c", "Home").board).toBe("cab d ");
  });

  it("goes to the column beside at the same height, where there are so many", () => {
    expect(walk("c", "ArrowRight")).toEqual({ text: "doing, place 2 of 2", board: "ab dc " });
    expect(walk("a", "ArrowRight").board).toBe("bc ad ");
    expect(walk("a", "ArrowRight", "ArrowRight")).toEqual({
      text: "done, place 1 of 1",
      board: "bc d a",
    });
    expect(walk("a", "ArrowRight", "ArrowRight", "ArrowRight").board).toBe("bc d a");
    expect(walk("d", "ArrowLeft").board).toBe("dabc  ");
  });
});
