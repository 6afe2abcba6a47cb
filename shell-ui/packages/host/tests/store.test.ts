import { describe, expect, it, vi } from "vitest";
import { createDisposer, createStore } from "../src/index.ts";

describe("createStore", () => {
  it("tells its followers of another value, and not of the same", () => {
    const store = createStore(1);
    const listener = vi.fn();
    store.subscribe(listener);
    store.set(1);
    expect(listener).not.toHaveBeenCalled();
    store.set((value) => value + 1);
    expect(store.get()).toBe(2);
    expect(listener).toHaveBeenCalledOnce();
  });

  it("tells nobody who has left, even while it tells others", () => {
    const store = createStore("a");
    const late = vi.fn();
    const leave = store.subscribe(() => leave());
    store.subscribe(late);
    store.set("b");
    store.set("c");
    expect(late).toHaveBeenCalledTimes(2);
  });
});

describe("createDisposer", () => {
  it("ends its parts in reverse order, once", () => {
    const order: string[] = [];
    const disposer = createDisposer();
    disposer.add(() => order.push("first"));
    disposer.add(() => order.push("second"));
    expect(disposer.dispose()).toEqual([]);
    disposer.dispose();
    expect(order).toEqual(["second", "first"]);
  });

  it("ends a part that comes too late at once", () => {
    const disposer = createDisposer();
    disposer.dispose();
    const part = vi.fn();
    disposer.add(part);
    expect(part).toHaveBeenCalledOnce();
  });

  it("returns what parts threw, and ends the others", () => {
    const disposer = createDisposer();
    const other = vi.fn();
    disposer.add(other);
    disposer.add(() => {
      throw new Error("no");
    });
    expect(disposer.dispose()).toHaveLength(1);
    expect(other).toHaveBeenCalledOnce();
  });

  it("forgets a part that ended by itself", () => {
    const disposer = createDisposer();
    const part = vi.fn();
    disposer.add(part)();
    disposer.dispose();
    expect(part).toHaveBeenCalledOnce();
  });
});
