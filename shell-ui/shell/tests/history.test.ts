import { beforeEach, describe, expect, it, vi } from "vitest";
import { createHistory, type AppHistory } from "../src/navigation/history.ts";

let history: AppHistory;
const flush = () => new Promise((resolve) => setTimeout(resolve, 20));
const path = () => history.state.get().location.pathname;

beforeEach(() => {
  window.history.replaceState(null, "", "/");
  history = createHistory(window);
});

describe("createHistory", () => {
  it("pushes, replaces and goes back", async () => {
    history.push("/a?x=1#y", { from: "test" });
    expect(history.state.get()).toMatchObject({
      action: "PUSH",
      location: { pathname: "/a", search: "?x=1", hash: "#y", state: { from: "test" } },
    });
    history.push("/b");
    history.replace("/c");
    expect(window.location.pathname).toBe("/c");
    history.go(-1);
    await vi.waitFor(() => expect(path()).toBe("/a"));
    expect(history.state.get().action).toBe("POP");
  });

  it("reports guards and whether one is active", async () => {
    expect([history.isWatched(), history.isGuarded()]).toEqual([false, false]);
    const unwatch = history.guards.watch?.();
    const remove = history.guards.add(() => false);
    expect([history.isWatched(), history.isGuarded()]).toEqual([true, true]);
    expect(await history.mayLeave()).toBe(false);
    remove();
    unwatch?.();
    expect([history.isWatched(), history.isGuarded()]).toEqual([false, false]);
    expect(await history.mayLeave()).toBe(true);
  });

  it("reports whether all changes are kept locally", () => {
    expect(history.keepsChanges.get()).toBe(false);
    const end = history.guards.keep?.();
    expect(history.keepsChanges.get()).toBe(true);
    const remove = history.guards.add(() => true);
    expect(history.keepsChanges.get()).toBe(false);
    remove();
    expect(history.keepsChanges.get()).toBe(true);
    end?.();
    expect(history.keepsChanges.get()).toBe(false);
  });

  it("stays when a guard blocks navigation", async () => {
    history.push("/edit");
    const remove = history.guards.add(() => false);
    history.push("/elsewhere");
    await flush();
    expect(path()).toBe("/edit");
    history.go(-1);
    await flush();
    expect(path()).toBe("/edit");
    expect(window.location.pathname).toBe("/edit");
    remove();
    history.go(-1);
    await flush();
    expect(path()).toBe("/");
  });

  it("waits for every guard to save", async () => {
    const saved = vi.fn();
    const remove = history.guards.add(async () => {
      await Promise.resolve();
      saved();
      return true;
    });
    const second = vi.fn(() => true);
    const removeSecond = history.guards.add(second);
    history.push("/next");
    expect(path()).toBe("/");
    await flush();
    expect(path()).toBe("/next");
    expect(saved).toHaveBeenCalledOnce();
    expect(second).toHaveBeenCalledOnce();
    remove();
    removeSecond();
  });

  it("warns before unload only while guarded", () => {
    const close = () => window.dispatchEvent(new Event("beforeunload", { cancelable: true }));
    expect(close()).toBe(true);
    const remove = history.guards.add(() => true);
    expect(close()).toBe(false);
    remove();
    expect(close()).toBe(true);
  });
});
