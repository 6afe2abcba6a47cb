import { describe, expect, it, vi } from "vitest";
import { createDisposer, createStore } from "../src/index.ts";

describe("createStore", () => {
  it("notifies subscribers only of changed values", () => {
    const store = createStore(1);
    const listener = vi.fn();
    store.subscribe(listener);
    store.set(1);
    expect(listener).not.toHaveBeenCalled();
    store.set((value) => value + 1);
    expect(store.get()).toBe(2);
    expect(listener).toHaveBeenCalledOnce();
  });

  it("skips subscribers removed during a notification", () => {
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
  it("disposes its parts once, in reverse order", () => {
    const order: string[] = [];
    const disposer = createDisposer();
    disposer.add(() => order.push("first"));
    disposer.add(() => order.push("second"));
    expect(disposer.dispose()).toEqual([]);
    disposer.dispose();
    expect(order).toEqual(["second", "first"]);
  });

  it("disposes a late part at once", () => {
    const disposer = createDisposer();
    disposer.dispose();
    const part = vi.fn();
    disposer.add(part);
    expect(part).toHaveBeenCalledOnce();
  });

  it("disposes all parts and returns their errors", () => {
    const disposer = createDisposer();
    const other = vi.fn();
    disposer.add(other);
    disposer.add(() => {
      throw new Error("no");
    });
    expect(disposer.dispose()).toHaveLength(1);
    expect(other).toHaveBeenCalledOnce();
  });

  it("releases a part that ended itself", () => {
    const disposer = createDisposer();
    const part = vi.fn();
    disposer.add(part)();
    disposer.dispose();
    expect(part).toHaveBeenCalledOnce();
  });
});
