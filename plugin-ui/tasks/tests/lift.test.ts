import { describe, expect, it } from "vitest";
import { drawnColumns, nextIndex } from "../src/board/use-column-lift.ts";
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

describe("picked-up card", () => {
  it("stays in place until it moves", () => {
    expect(walk("b")).toEqual({ text: "todo, position 2 of 3", board: "abc d " });
  });

  it("moves up and down within the column", () => {
    expect(walk("b", "ArrowUp")).toEqual({ text: "todo, position 1 of 3", board: "bac d " });
    expect(walk("b", "ArrowUp", "ArrowUp").board).toBe("bac d ");
    expect(walk("b", "ArrowDown", "ArrowDown").board).toBe("acb d ");
    expect(walk("b", "End").board).toBe("acb d ");
    expect(walk("c", "Home").board).toBe("cab d ");
  });

  it("moves to the neighbouring column", () => {
    expect(walk("c", "ArrowRight")).toEqual({ text: "doing, position 2 of 2", board: "ab dc " });
    expect(walk("a", "ArrowRight").board).toBe("bc ad ");
    expect(walk("a", "ArrowRight", "ArrowRight")).toEqual({
      text: "done, position 1 of 1",
      board: "bc d a",
    });
    expect(walk("a", "ArrowRight", "ArrowRight", "ArrowRight").board).toBe("bc d a");
    expect(walk("d", "ArrowLeft").board).toBe("dabc  ");
  });
});

describe("picked-up column", () => {
  const drawn = (id: string, index: number) =>
    drawnColumns(data.columns, { id, index })
      .map((one) => one.id)
      .join();

  it("is drawn at its target position", () => {
    expect(drawn("todo", 0)).toBe("todo,doing,done");
    expect(drawn("todo", 1)).toBe("doing,todo,done");
    expect(drawn("todo", 2)).toBe("doing,done,todo");
    expect(drawn("done", 0)).toBe("done,todo,doing");
    // Another person has deleted it meanwhile.
    expect(drawn("gone", 0)).toBe("todo,doing,done");
  });

  it("moves in text direction within the board", () => {
    expect(nextIndex(0, 3, "ArrowLeft")).toBe(0);
    expect(nextIndex(0, 3, "ArrowRight")).toBe(1);
    expect(nextIndex(2, 3, "ArrowRight")).toBe(2);
    expect(nextIndex(0, 3, "ArrowLeft", true)).toBe(1);
    expect(nextIndex(1, 3, "Home")).toBe(0);
    expect(nextIndex(1, 3, "End")).toBe(2);
  });
});
