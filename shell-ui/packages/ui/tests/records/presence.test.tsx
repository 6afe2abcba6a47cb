import { createStore, EventProvider, type EventStream, type ServerEvent } from "@tenon/host";
import { addBrowserParts, fakeServer, Reply, type FakeServer } from "@tenon/testing";
import { PresenceStack, usePresence, type PresentPerson } from "@tenon/ui/records";
import { act, cleanup, render, renderHook, screen, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

let server: FakeServer;
let listeners: Set<(event: ServerEvent) => void>;
let openListeners: Set<(missed: boolean, channel?: string) => void>;
let events: EventStream;
const makeEvents = (): EventStream => ({
  status: createStore("open" as const),
  onOpen(listener) {
    openListeners.add(listener);
    return () => openListeners.delete(listener);
  },
  subscribe(topic, listener) {
    expect(topic).toBe("presence");
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
});
const open = (channel?: string) =>
  act(() => {
    for (const listener of [...openListeners]) listener(false, channel);
  });
const wrapper = ({ children }: { children: ReactNode }) => (
  <EventProvider value={events}>{children}</EventProvider>
);
const said = () => server.requests.map(({ method, body, query }) => [method, body || query]);
const flush = () => act(async () => await new Promise((resolve) => setTimeout(resolve, 10)));
const publish = (people: readonly PresentPerson[], id = "1") =>
  act(() => {
    const data = { plugin: "planner", table: "cards", id, people, total: people.length };
    for (const listener of [...listeners]) listener({ topic: "presence", id: "1", data });
  });

addBrowserParts();

beforeEach(() => {
  listeners = new Set();
  openListeners = new Set();
  events = makeEvents();
  const done = () => new Reply(204);
  server = fakeServer({ "PUT /api/core/presence": done, "DELETE /api/core/presence": done });
});
afterEach(async () => {
  cleanup();
  await flush();
  server.close();
});

const bob = { name: "Bob Ray", hue: 3 };

describe("usePresence", () => {
  const useLook = (id: string | null, state?: string) =>
    usePresence("planner", "cards", id, { state });
  const card = { plugin: "planner", table: "cards", id: "1" };

  it("announces itself on each new channel", async () => {
    renderHook(() => useLook("1", "editing"), { wrapper });
    await flush();
    expect(said()).toEqual([]);
    open("c1");
    open();
    open("c2");
    await waitFor(() => expect(said()).toHaveLength(2));
    expect(said()).toEqual(
      ["c1", "c2"].map((name) => ["PUT", { channel: name, ...card, state: "editing" }]),
    );
  });

  it("receives events of its own record only", () => {
    const { result } = renderHook(() => useLook("1"), { wrapper });
    expect(result.current).toEqual({ people: [], total: 0 });
    publish([bob]);
    expect(result.current).toEqual({ people: [bob], total: 1 });
    publish([], "2");
    expect(result.current.total).toBe(1);
  });

  it("announces leaving and only changed states", async () => {
    const { rerender, unmount } = renderHook(({ state }) => useLook("1", state), {
      wrapper,
      initialProps: { state: "viewing" },
    });
    open("c1");
    publish([bob]);
    rerender({ state: "editing" });
    await waitFor(() => expect(said()).toHaveLength(2));
    expect(said()[1]).toEqual(["PUT", { channel: "c1", ...card, state: "editing" }]);
    unmount();
    await waitFor(() => expect(said()).toHaveLength(3));
    expect(said()[2]?.[0]).toBe("DELETE");
    expect(String(said()[2]?.[1])).toBe("channel=c1&plugin=planner&table=cards&id=1");
    expect(listeners.size).toBe(0);
  });

  it("shares one registration among components", async () => {
    const first = renderHook(() => useLook("1"), { wrapper });
    const second = renderHook(() => useLook("1"), { wrapper });
    open("c1");
    first.unmount();
    await flush();
    publish([bob]);
    expect(second.result.current.total).toBe(1);
    expect(said().map(([method]) => method)).toEqual(["PUT"]);
    second.unmount();
    await waitFor(() => expect(said().map(([method]) => method)).toEqual(["PUT", "DELETE"]));
  });

  it("sends nothing without a record or when refused", async () => {
    const { rerender, result } = renderHook(({ id }: { id: string | null }) => useLook(id), {
      wrapper,
      initialProps: { id: null as string | null },
    });
    open("c1");
    await flush();
    expect(said()).toEqual([]);
    server.use({
      "PUT /api/core/presence": () => new Reply(404, { status: 404, code: "records.not_found" }),
    });
    rerender({ id: "1" });
    await waitFor(() => expect(said()).toHaveLength(1));
    expect(result.current.total).toBe(0);
  });
});

describe("PresenceStack", () => {
  const people = ["Bob Ray", "Eve", "Max", "Zoe", "Kim"].map((name, hue) => ({ name, hue }));
  const shown = () => screen.queryAllByRole("img").map((one) => one.getAttribute("aria-label"));

  it("renders nothing without people", () => {
    const { container } = render(<PresenceStack people={[]} total={0} />);
    expect(container.innerHTML).toBe("");
  });

  it("shows a few people and counts the rest", () => {
    const { rerender } = render(<PresenceStack people={people} total={30} />);
    expect(shown()).toEqual(["Bob Ray", "Eve", "Max", "27 more: Zoe, Kim, 25 more"]);
    rerender(<PresenceStack people={people.slice(0, 4)} total={4} />);
    expect(shown()).toEqual(["Bob Ray", "Eve", "Max", "Zoe"]);
  });

  it("describes each person's state", () => {
    const states = { editing: "is editing" };
    render(<PresenceStack people={[{ ...bob, state: "editing" }]} total={1} states={states} />);
    expect(shown()).toEqual(["Bob Ray, is editing"]);
  });
});
