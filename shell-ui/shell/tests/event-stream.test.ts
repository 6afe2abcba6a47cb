import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  createEventStream,
  positionTimeout,
  type EventConnection,
  type LiveStream,
} from "../src/live/event-stream.ts";

class Connection implements EventConnection {
  onerror: ((event: Event) => void) | null = null;
  readyState = 0;
  closed = false;
  readonly url: string;
  private readonly listeners = new Map<string, (event: MessageEvent<string>) => void>();

  constructor(url: string) {
    this.url = url;
  }

  addEventListener(type: string, listener: (event: MessageEvent<string>) => void) {
    this.listeners.set(type, listener);
  }

  close() {
    this.closed = true;
  }

  say(topic: string, data: unknown, lastEventId = "1") {
    this.listeners.get(topic)?.(
      new MessageEvent(topic, { data: JSON.stringify(data), lastEventId }),
    );
  }

  fail(readyState = 0) {
    this.readyState = readyState;
    this.onerror?.(new Event("error"));
  }
}

let connections: Connection[];
const last = () => connections.at(-1) as Connection;
const connect = (url: string) => {
  const connection = new Connection(url);
  connections.push(connection);
  return connection;
};

beforeEach(() => {
  vi.useFakeTimers();
  connections = [];
});
afterEach(() => vi.useRealTimers());

describe("createEventStream", () => {
  it("opens one connection when it is started", async () => {
    const stream = createEventStream({ connect });
    stream.subscribe("core.plugins", vi.fn());
    stream.subscribe("core.session", vi.fn());
    await vi.runAllTimersAsync();
    expect(connections).toHaveLength(0);
    stream.start();
    await vi.runAllTimersAsync();
    expect(connections.map(({ url }) => url)).toEqual([
      "/api/core/events?topics=core.plugins,core.session",
    ]);
  });

  it("delivers parsed data to topic subscribers", async () => {
    const stream = createEventStream({ connect });
    const listener = vi.fn();
    const other = vi.fn();
    const leave = stream.subscribe("a", listener);
    stream.subscribe("b", other);
    stream.start();
    await vi.runAllTimersAsync();
    last().say("a", { x: 1 }, "7");
    expect(listener).toHaveBeenCalledWith({ topic: "a", id: "7", data: { x: 1 } });
    leave();
    last().say("a", { x: 2 });
    expect(listener).toHaveBeenCalledOnce();
    expect(other).not.toHaveBeenCalled();
  });

  it("reconnects only for a new topic", async () => {
    const stream = createEventStream({ connect });
    stream.subscribe("a", vi.fn());
    stream.start();
    await vi.runAllTimersAsync();
    stream.subscribe("a", vi.fn());
    await vi.runAllTimersAsync();
    expect(connections).toHaveLength(1);
    stream.subscribe("b", vi.fn());
    await vi.runAllTimersAsync();
    expect(connections).toHaveLength(2);
    expect(connections[0]?.closed).toBe(true);
  });

  it("reports whether events were missed", async () => {
    const stream = createEventStream({ connect, newest: 5 });
    const opened = vi.fn();
    stream.subscribe("a", vi.fn());
    stream.onOpen(opened);
    stream.start();
    await vi.runAllTimersAsync();
    last().say("hello", { snapshot: 5 });
    expect(opened).toHaveBeenLastCalledWith(false, undefined);
    last().say("a", {}, "6");
    last().fail();
    await vi.advanceTimersByTimeAsync(2_000);
    last().say("hello", { snapshot: 6 });
    expect(opened).toHaveBeenLastCalledWith(false, undefined);
    last().fail();
    await vi.advanceTimersByTimeAsync(2_000);
    last().say("hello", { snapshot: 9 });
    expect(opened).toHaveBeenLastCalledWith(true, undefined);
  });

  it("resumes from the last record position", async () => {
    const stream = createEventStream({ connect });
    stream.subscribe("planner.cards", vi.fn());
    stream.start();
    await vi.advanceTimersByTimeAsync(0);
    expect(last().url).toBe("/api/core/events?topics=planner.cards");
    last().say("hello", { snapshot: 5 }, "planner:3f-1");
    last().say("planner.cards", { action: "delete", id: "1" }, "planner:3f-2");
    last().fail();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(last().url).toBe("/api/core/events?topics=planner.cards&last=planner%3A3f-2");
    last().say("hello", { snapshot: 5 }, "planner:3f-9");
    last().fail();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(last().url).toBe("/api/core/events?topics=planner.cards&last=planner%3A3f-9");
  });

  it("reads the position before the plugin's tables", async () => {
    const stream = createEventStream({ connect });
    stream.subscribe("core.plugins", vi.fn());
    stream.start();
    const taken = vi.fn();
    void stream.takePosition("planner").then(taken);
    await vi.advanceTimersByTimeAsync(0);
    expect(connections.map(({ url }) => url)).toEqual([
      "/api/core/events?topics=core.plugins,planner.*",
    ]);
    expect([stream.hasPosition("planner"), taken.mock.calls.length]).toEqual([false, 0]);
    last().say("hello", { snapshot: 5 }, "notes:1a-7;planner:3f-1");
    await vi.advanceTimersByTimeAsync(0);
    expect([stream.hasPosition("planner"), taken.mock.calls.length]).toEqual([true, 1]);
    expect(stream.hasPosition("plan")).toBe(false);
    stream.subscribe("planner.cards", vi.fn());
    await vi.advanceTimersByTimeAsync(0);
    expect(last().url).toBe(
      "/api/core/events?topics=core.plugins,planner.cards&last=notes%3A1a-7%3Bplanner%3A3f-1",
    );
    await stream.takePosition("planner");
    expect(connections).toHaveLength(2);
  });

  it.each([
    ["for a plugin without tables", () => last().say("hello", { snapshot: 5 })],
    ["when the connection is lost", () => last().fail()],
    ["when it is stopped", (stream: LiveStream) => stream.stop()],
    ["after a while", () => vi.advanceTimersByTime(positionTimeout)],
  ])("waits for no position %s", async (_, end) => {
    const stream = createEventStream({ connect });
    stream.subscribe("core.plugins", vi.fn());
    stream.start();
    const taken = vi.fn();
    void stream.takePosition("planner").then(taken);
    await vi.advanceTimersByTimeAsync(0);
    expect(taken).not.toHaveBeenCalled();
    end(stream);
    await vi.advanceTimersByTimeAsync(0);
    expect(taken).toHaveBeenCalledOnce();
    expect(stream.hasPosition("planner")).toBe(false);
  });

  it("does not wait for a position when disconnected", async () => {
    const stream = createEventStream({ connect });
    await stream.takePosition("planner");
    expect(connections).toHaveLength(0);
  });

  it("asks record subscribers to refetch", async () => {
    const stream = createEventStream({ connect });
    const listener = vi.fn();
    const other = vi.fn();
    stream.subscribe("planner.cards", listener);
    stream.subscribe("planner.labels", other);
    stream.start();
    await vi.advanceTimersByTimeAsync(0);
    last().say("resync", { topic: "planner.cards" }, "planner:3f-2");
    expect(listener).toHaveBeenCalledWith({
      topic: "planner.cards",
      id: "planner:3f-2",
      data: { action: "resync" },
    });
    expect(other).not.toHaveBeenCalled();
  });

  it("backs off, then reconnects quickly", async () => {
    const stream = createEventStream({ connect });
    stream.subscribe("a", vi.fn());
    stream.start();
    await vi.advanceTimersByTimeAsync(0);
    for (let attempt = 0; attempt < 8; attempt += 1) {
      last().fail();
      expect(stream.status.get()).toBe("lost");
      await vi.advanceTimersByTimeAsync(40_000);
    }
    expect(connections).toHaveLength(9);
    last().say("hello", { snapshot: 1 });
    expect(stream.status.get()).toBe("open");
    last().fail();
    await vi.advanceTimersByTimeAsync(1_300);
    expect(connections).toHaveLength(10);
  });

  it("sends the channel name if there is one", async () => {
    const stream = createEventStream({ connect });
    const opened = vi.fn();
    stream.subscribe("presence", vi.fn());
    stream.onOpen(opened);
    stream.start();
    await vi.advanceTimersByTimeAsync(0);
    last().say("hello", { snapshot: 1, channel: "c1" });
    expect(opened).toHaveBeenLastCalledWith(true, "c1");
    stream.subscribe("planner.cards", vi.fn());
    await vi.advanceTimersByTimeAsync(0);
    last().say("hello", { snapshot: 1 });
    expect(opened).toHaveBeenLastCalledWith(false, undefined);
  });

  it("distinguishes a refusal from a lost connection", async () => {
    const stream = createEventStream({ connect });
    stream.subscribe("a", vi.fn());
    stream.start();
    await vi.runAllTimersAsync();
    last().fail(2);
    expect(stream.status.get()).toBe("refused");
  });

  it("stays closed after it is stopped", async () => {
    const stream = createEventStream({ connect });
    stream.subscribe("a", vi.fn());
    stream.start();
    await vi.advanceTimersByTimeAsync(0);
    last().fail();
    stream.stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(connections).toHaveLength(1);
    expect(stream.status.get()).toBe("idle");
  });
});
