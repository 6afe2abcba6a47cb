import { cleanup, renderHook } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, expect, it, vi } from "vitest";
import {
  createStore,
  EventProvider,
  useServerEvent,
  type EventStream,
  type ServerEvent,
} from "../src/index.ts";

/** The tab's connection, with the test at the other end. */
function stream(hasPosition?: (plugin: string) => boolean) {
  const listeners = new Map<string, (event: ServerEvent) => void>();
  const opens = new Set<(missed: boolean) => void>();
  const events: EventStream = {
    status: createStore("open" as const),
    subscribe(topic, listener) {
      listeners.set(topic, listener);
      return () => listeners.delete(topic);
    },
    onOpen(listener) {
      opens.add(listener);
      return () => opens.delete(listener);
    },
    hasPosition,
  };
  return {
    wrapper: ({ children }: { children: ReactNode }) => (
      <EventProvider value={events}>{children}</EventProvider>
    ),
    publish: (topic: string, data: unknown) => listeners.get(topic)?.({ topic, id: "", data }),
    open: (missed: boolean) => opens.forEach((listener) => listener(missed)),
    size: () => listeners.size + opens.size,
  };
}

afterEach(cleanup);

it("delivers plugin events to the latest listener", () => {
  const { wrapper, publish, size } = stream();
  const first = vi.fn();
  const second = vi.fn();
  const { rerender, unmount } = renderHook(
    ({ listener }) => useServerEvent("planner.reminders", listener),
    { wrapper, initialProps: { listener: first } },
  );
  publish("planner.reminders", { card: 1 });
  publish("planner.builds", { card: 2 });
  expect(first.mock.calls.map(([event]: ServerEvent[]) => event?.data)).toEqual([{ card: 1 }]);
  rerender({ listener: second });
  publish("planner.reminders", { card: 3 });
  expect(first).toHaveBeenCalledOnce();
  expect(second).toHaveBeenCalledOnce();
  unmount();
  expect(size()).toBe(0);
});

it("reports missed events only when some were missed", () => {
  const { wrapper, open } = stream();
  const onMissed = vi.fn();
  renderHook(() => useServerEvent("planner.reminders", () => undefined, { onMissed }), { wrapper });
  renderHook(() => useServerEvent("planner.builds", () => undefined), { wrapper });
  expect(onMissed).not.toHaveBeenCalled();
  open(false);
  expect(onMissed, "between what was read and the first connection").toHaveBeenCalledOnce();
  open(false);
  expect(onMissed).toHaveBeenCalledOnce();
  open(true);
  expect(onMissed).toHaveBeenCalledTimes(2);
});

it("misses no change with a change log position", () => {
  const { wrapper, open } = stream((plugin) => plugin === "planner");
  const onMissed = vi.fn();
  const table = { onMissed, table: true };
  renderHook(() => useServerEvent("planner.cards", () => undefined, table), { wrapper });
  open(false);
  open(true);
  expect(onMissed).not.toHaveBeenCalled();
  // Events of plugins are not in the change log, nor are tables of other plugins.
  renderHook(() => useServerEvent("planner.reminders", () => undefined, { onMissed }), { wrapper });
  renderHook(() => useServerEvent("notes.news", () => undefined, table), { wrapper });
  open(false);
  expect(onMissed).toHaveBeenCalledTimes(2);
});
