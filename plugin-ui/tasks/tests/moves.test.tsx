import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { addBrowserParts, fakeServer, type FakeServer } from "@tenon/testing";
import { Toaster } from "@tenon/ui";
import { act, cleanup, fireEvent, renderHook, screen, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { useColumnLift, useColumnMoves } from "../src/board/use-column-lift.ts";
import { useMoves } from "../src/board/use-moves.ts";
import { board, card, column } from "./sample.ts";

addBrowserParts();

let server: FakeServer;
beforeEach(() => {
  server = fakeServer({
    "PATCH /api/tasks/columns/:id": ({ params }) => column(params.id ?? "", "a0"),
    "PATCH /api/tasks/cards/:id": ({ params }) => card(params.id ?? "", "todo", "a0"),
  });
});
afterEach(() => {
  cleanup();
  server.close();
});

function wrapper({ children }: { children: ReactNode }) {
  return (
    <QueryClientProvider client={new QueryClient()}>
      {children}
      <Toaster />
    </QueryClientProvider>
  );
}

/** Number of requests seen so far. */
let seen = 0;
beforeEach(() => (seen = 0));
async function changes(count: number) {
  await waitFor(() => expect(server.requests).toHaveLength(seen + count));
  const all = server.requests.slice(seen).map(({ params, body }) => [params.id, body]);
  seen += count;
  return Object.fromEntries(all) as unknown;
}

const undo = async () => fireEvent.click(await screen.findByRole("button", { name: "Undo" }));

describe("move among equal keys", () => {
  it("restores the keys of columns on undo", async () => {
    const columns = [column("a", "a0"), column("b", "a0"), column("c", "a1")];
    const { result } = renderHook(() => useColumnMoves(columns), { wrapper });
    act(() => result.current("c", 1));
    expect(await changes(2)).toEqual({ c: { position: "a1" }, b: { position: "a2" } });
    await undo();
    expect(await changes(2)).toEqual({ c: { position: "a1" }, b: { position: "a0" } });
  });

  it("restores the keys of cards on undo", async () => {
    const data = board(
      [column("todo", "a0"), column("done", "a1")],
      [card("x", "todo", "a5"), card("a", "done", "a0"), card("b", "done", "a0")],
    );
    const { result } = renderHook(() => useMoves(data), { wrapper });
    act(() => result.current("x", { column: "done", before: "b" }));
    expect(await changes(2)).toEqual({
      x: { column: "done", position: "a1" },
      b: { position: "a2" },
    });
    await undo();
    expect(await changes(2)).toEqual({
      x: { column: "todo", position: "a5" },
      b: { position: "a0" },
    });
  });
});

describe("column held during a deletion", () => {
  const columns = [column("a", "a0"), column("b", "a1"), column("c", "a2")];

  it("moves after the remaining columns", async () => {
    const left = columns.slice(0, 2);
    const { result } = renderHook(() => useColumnMoves(left), { wrapper });
    act(() => result.current("a", 2));
    expect(await changes(1)).toEqual({ a: { position: "a2" } });
  });

  it("announces its real position", () => {
    const move = vi.fn();
    const { result, rerender } = renderHook(({ all }) => useColumnLift(all, move), {
      initialProps: { all: columns },
    });
    act(() => result.current.lift("a", "keyboard"));
    act(() => result.current.step("End", false));
    expect(result.current.said).toBe("Position 3 of 3");
    rerender({ all: columns.slice(0, 2) });
    act(() => result.current.drop());
    expect(move).toHaveBeenCalledWith("a", 1);
    expect(result.current.said).toBe("Column a dropped. Position 2 of 2");
    act(() => result.current.lift("a", "keyboard"));
    rerender({ all: columns });
    act(() => result.current.step("End", false));
    rerender({ all: columns.slice(0, 2) });
    act(() => result.current.step("ArrowLeft", false));
    expect(result.current.said).toBe("Position 1 of 2");
  });
});
