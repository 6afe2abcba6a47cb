import { createStore, type ConnectionStatus } from "@tenon/host";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createConnection } from "../src/live/connection.ts";

let hasNetwork: boolean;
let openListeners: Set<(missed: boolean) => void>;
let status: ReturnType<typeof createStore<ConnectionStatus>>;
let returned: ReturnType<typeof vi.fn<() => void>>;

function setUp() {
  const view = new EventTarget() as unknown as Window;
  Object.defineProperty(view, "navigator", { get: () => ({ onLine: hasNetwork }) });
  const onOpen = (listener: (missed: boolean) => void) => {
    openListeners.add(listener);
    return () => openListeners.delete(listener);
  };
  const { state, onReturn } = createConnection({ status, onOpen }, view);
  onReturn(returned);
  const setNetwork = (has: boolean) => {
    hasNetwork = has;
    view.dispatchEvent(new Event(has ? "online" : "offline"));
  };
  return { state, setNetwork };
}
function open() {
  status.set("open");
  for (const listener of openListeners) listener(false);
}

beforeEach(() => {
  vi.useFakeTimers();
  hasNetwork = true;
  openListeners = new Set();
  status = createStore<ConnectionStatus>("idle");
  returned = vi.fn();
});
afterEach(() => vi.useRealTimers());

describe("createConnection", () => {
  it("reports a lost network and its return", () => {
    const { state, setNetwork } = setUp();
    open();
    setNetwork(false);
    expect(state.get()).toBe("offline");
    setNetwork(true);
    expect(state.get()).toBe("online");
    expect(returned).not.toHaveBeenCalled();
    open();
    expect(returned).toHaveBeenCalledOnce();
    open();
    expect(returned).toHaveBeenCalledOnce();
  });

  it("reports an unreachable server once per interruption", () => {
    const { state } = setUp();
    open();
    status.set("lost");
    expect(state.get()).toBe("online");
    vi.advanceTimersByTime(2_500);
    expect(state.get()).toBe("unreachable");
    status.set("refused");
    expect(state.get()).toBe("unreachable");
    open();
    expect(state.get()).toBe("online");
    expect(returned).toHaveBeenCalledOnce();
  });

  it("reports no short interruption, but its end", () => {
    const { state } = setUp();
    open();
    status.set("lost");
    vi.advanceTimersByTime(1_000);
    open();
    vi.advanceTimersByTime(10_000);
    expect(state.get()).toBe("online");
    expect(returned).toHaveBeenCalledOnce();
  });

  it("reports no return without an interruption", () => {
    setUp();
    open();
    expect(returned).not.toHaveBeenCalled();
  });
});
