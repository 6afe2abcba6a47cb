import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createStore, EventProvider, type EventStream, type ServerEvent } from "@tenon/host";
import { addBrowserParts, fakeServer, Reply, type FakeServer } from "@tenon/testing";
import { Toaster } from "@tenon/ui";
import { filter } from "@tenon/ui/records";
import { act, cleanup, render, renderHook, screen, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { linger, maxTables, refreshGap } from "../../src/records/memory.ts";
import { defineTable } from "../../src/records/index.ts";
import {
  useCreateLabel,
  useInfiniteLabels,
  useLabel,
  useLabelGroups,
  useLabels,
  useRemoveLabel,
  useUpdateLabel,
  type Label,
  type LabelsTypes,
} from "./planner.gen.ts";

/** The tab's connection, with the test at the other end. */
class Events implements EventStream {
  readonly status = createStore("open" as const);
  position = false;
  readonly listeners = new Map<string, Set<(event: ServerEvent) => void>>();
  readonly openListeners = new Set<(missed: boolean) => void>();

  subscribe(topic: string, listener: (event: ServerEvent) => void) {
    const all = this.listeners.get(topic) ?? new Set();
    this.listeners.set(topic, all.add(listener));
    return () => {
      all.delete(listener);
      if (all.size === 0) this.listeners.delete(topic);
    };
  }
  onOpen(listener: (missed: boolean) => void) {
    this.openListeners.add(listener);
    return () => this.openListeners.delete(listener);
  }
  hasPosition(plugin: string) {
    return this.position && plugin === "planner";
  }
  greet() {
    for (const listener of [...this.openListeners]) listener(false);
  }
  say(data: unknown, topic = "planner.labels") {
    for (const listener of [...(this.listeners.get(topic) ?? [])])
      listener({ topic, id: "planner:1-1", data });
  }
  publish(action: "create" | "update", record: Label) {
    this.say({ table: "labels", action, id: record.id, record, etag: etag(record) });
  }
}

let server: FakeServer;
let stored: Label[];
let events: Events;
let queries: QueryClient;

const etag = (label: Label) => `"${label.version}-x"`;
const label = (name: string, version = 1): Label => ({ id: `id-${name}`, name, version });
const renamed = (id: string, name: string, version = 2): Label => ({ id, name, version });
const names = (items: readonly Pick<Label, "name">[] | undefined) =>
  items?.map(({ name }) => name).join("");
const lists = () =>
  server.requests.filter(({ method, path }) => method === "GET" && path.endsWith("/labels")).length;
const gets = () => server.requests.filter(({ params }) => params.id).length;

function wrapper({ children }: { children: ReactNode }) {
  return (
    <EventProvider value={events}>
      <QueryClientProvider client={queries}>{children}</QueryClientProvider>
    </EventProvider>
  );
}
const show = <R,>(hook: () => R) => renderHook(hook, { wrapper });
const pause = (milliseconds: number) => act(() => vi.advanceTimersByTimeAsync(milliseconds));

addBrowserParts();

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  stored = ["a", "b", "c"].map((name) => label(name));
  events = new Events();
  queries = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Infinity } } });
  server = fakeServer({
    "GET /api/planner/labels": ({ query }) => {
      if (query.get("agg")) return { items: [{ count: stored.length }], more: false };
      const items = stored.filter(
        ({ name }) => !query.get("filter") || query.get("filter")?.includes(`'${name}'`),
      );
      return { items, next: null, ...(query.get("count") && { total: items.length }) };
    },
    "GET /api/planner/labels/:id": ({ params }) => {
      const found = stored.find(({ id }) => id === params.id);
      return found
        ? new Reply(200, found, { etag: etag(found) })
        : new Reply(404, { status: 404, code: "records.not_found" });
    },
  });
});

afterEach(async () => {
  cleanup();
  await vi.advanceTimersByTimeAsync(linger);
  vi.useRealTimers();
  server.close();
});

describe("live list", () => {
  it("applies remote changes without a request", async () => {
    const { result } = show(() => ({
      list: useLabels({ count: true }),
      narrow: useLabels({ fields: ["name"] }),
      pages: useInfiniteLabels(),
      one: useLabel("id-b"),
    }));
    await waitFor(() => expect(names(result.current.list.data?.items)).toBe("abc"));
    await waitFor(() => expect(result.current.one.data?.etag).toBe('"1-x"'));
    await waitFor(() => expect(names(result.current.pages.items)).toBe("abc"));
    const before = lists();
    events.publish("update", renamed("id-b", "z"));
    await waitFor(() => expect(names(result.current.list.data?.items)).toBe("azc"));
    expect(names(result.current.pages.items)).toBe("azc");
    expect(result.current.narrow.data?.items[1]).toEqual({ id: "id-b", name: "z", version: 2 });
    expect(result.current.one.data).toEqual({ record: renamed("id-b", "z"), etag: '"2-x"' });
    events.say({ table: "labels", action: "delete", id: "id-a" });
    await waitFor(() => expect(names(result.current.list.data?.items)).toBe("zc"));
    expect(names(result.current.pages.items)).toBe("zc");
    expect(result.current.list.data?.total).toBe(2);
    await pause(2 * refreshGap);
    expect(lists()).toBe(before);
    expect(gets()).toBe(1);
  });

  it("refetches if an event lacks the sort fields", async () => {
    const { result } = show(() => ({
      sorted: useLabels({ sort: ["-name"] }),
      all: useLabels(),
    }));
    await waitFor(() => expect(names(result.current.sorted.data?.items)).toBe("abc"));
    await waitFor(() => expect(names(result.current.all.data?.items)).toBe("abc"));
    stored = [renamed("id-b", "z"), label("a"), label("c")];
    events.publish("update", renamed("id-b", "z"));
    await waitFor(() => expect(names(result.current.sorted.data?.items)).toBe("zac"));
    expect(names(result.current.all.data?.items)).toBe("azc");
    stored = [...stored, label("d")];
    events.publish("create", label("d"));
    await pause(refreshGap);
    await waitFor(() => expect(names(result.current.all.data?.items)).toBe("zacd"));
  });

  it("adds and removes records by its filter", async () => {
    const { result } = show(() => ({ list: useLabels({ filter: filter`name = ${"b"}` }) }));
    await waitFor(() => expect(names(result.current.list.data?.items)).toBe("b"));
    const before = lists();
    events.publish("update", renamed("id-a", "x"));
    events.publish("update", renamed("id-b", "z"));
    await waitFor(() => expect(names(result.current.list.data?.items)).toBe(""));
    await pause(2 * refreshGap);
    expect(lists()).toBe(before);
    stored = [renamed("id-c", "b")];
    events.publish("update", renamed("id-c", "b"));
    await waitFor(() => expect(names(result.current.list.data?.items)).toBe("b"));
  });

  it("batches reads during a thousand changes", async () => {
    const { result } = show(() => ({ list: useLabels({ sort: ["name"] }) }));
    await waitFor(() => expect(names(result.current.list.data?.items)).toBe("abc"));
    const before = lists();
    for (let at = 1; at <= 1000; at += 1) {
      stored = [label("a"), renamed("id-b", `b${at}`, at), label("c")];
      events.publish("update", renamed("id-b", `b${at}`, at));
      if (at % 100 === 0) await pause(passed);
    }
    await waitFor(() => expect(names(result.current.list.data?.items)).toBe("ab1000c"));
    await pause(3 * refreshGap);
    expect(names(result.current.list.data?.items)).toBe("ab1000c");
    expect(lists() - before).toBeGreaterThan(0);
    expect(lists() - before).toBeLessThan(10);
  });
  const passed = 100;

  it("refetches after a resync or an incomplete event", async () => {
    const { result } = show(() => ({ list: useLabels(), one: useLabel("id-a") }));
    await waitFor(() => expect(names(result.current.list.data?.items)).toBe("abc"));
    await waitFor(() => expect(result.current.one.data?.record.name).toBe("a"));
    stored = [renamed("id-a", "q")];
    events.greet();
    await waitFor(() => expect(names(result.current.list.data?.items)).toBe("q"));
    await waitFor(() => expect(result.current.one.data?.record.name).toBe("q"));
    stored = [renamed("id-a", "r")];
    events.say({ action: "resync" });
    await waitFor(() => expect(names(result.current.list.data?.items)).toBe("r"));
    await waitFor(() => expect(result.current.one.data?.record.name).toBe("r"));
    stored = [renamed("id-a", "s")];
    events.say({ table: "labels", action: "update", id: "id-a" });
    await waitFor(() => expect(names(result.current.list.data?.items)).toBe("s"));
    await waitFor(() => expect(result.current.one.data?.record.name).toBe("s"));
    const before = lists();
    events.greet();
    await pause(2 * refreshGap);
    expect(lists()).toBe(before);
  });

  it("reads once with a change log position", async () => {
    events.position = true;
    const { result } = show(() => ({ list: useLabels(), one: useLabel("id-a") }));
    await waitFor(() => expect(names(result.current.list.data?.items)).toBe("abc"));
    await waitFor(() => expect(result.current.one.data?.record.name).toBe("a"));
    events.greet();
    await pause(2 * refreshGap);
    expect([lists(), gets()]).toEqual([1, 1]);
    // The changes since that position are reported.
    events.publish("update", renamed("id-b", "z"));
    await waitFor(() => expect(names(result.current.list.data?.items)).toBe("azc"));
    expect(lists()).toBe(1);
  });

  it("refetches when an event overtakes a response", async () => {
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const old = stored;
    server.use({
      "GET /api/planner/labels": async () => {
        await gate;
        return { items: old, next: null };
      },
    });
    const { result } = show(() => ({ list: useLabels() }));
    await waitFor(() => expect(lists()).toBe(1));
    events.publish("update", renamed("id-b", "z"));
    await pause(500);
    open();
    await waitFor(() => expect(names(result.current.list.data?.items)).toBe("azc"));
  });

  it("reports a deleted record", async () => {
    const { result } = show(() => ({ one: useLabel("id-a") }));
    await waitFor(() => expect(result.current.one.data?.record.name).toBe("a"));
    stored = [];
    events.say({ table: "labels", action: "delete", id: "id-a" });
    await waitFor(() => expect(result.current.one.error).toMatchObject({ status: 404 }));
  });
});

describe("live groups", () => {
  it("are refetched at most once a second", async () => {
    const { result } = show(() => useLabelGroups({}));
    await waitFor(() => expect(result.current.data?.items).toEqual([{ count: 3 }]));
    const before = lists();
    for (let number = 0; number < 100; number++) {
      const made = label(`n${number}`);
      stored.push(made);
      events.publish("create", made);
    }
    await waitFor(() => expect(result.current.data?.items).toEqual([{ count: 103 }]));
    expect(lists() - before).toBe(1);
    stored.pop();
    events.say({ table: "labels", action: "delete", id: "id-n99" });
    await pause(refreshGap / 2);
    expect(lists() - before).toBe(1);
    await waitFor(() => expect(result.current.data?.items).toEqual([{ count: 102 }]));
  });

  it("are refetched after a change of this page", async () => {
    const { result } = show(() => ({ groups: useLabelGroups({}), create: useCreateLabel() }));
    await waitFor(() => expect(result.current.groups.data?.items).toEqual([{ count: 3 }]));
    server.use({
      "POST /api/planner/labels": ({ body }) => {
        const made = { ...(body as Label), version: 1 };
        stored.push(made);
        return new Reply(201, made, { etag: etag(made) });
      },
    });
    await act(() => result.current.create.mutateAsync({ name: "d" }));
    await waitFor(() => expect(result.current.groups.data?.items).toEqual([{ count: 4 }]));
  });
});

describe("table topic", () => {
  it("stays subscribed briefly after the last hook", async () => {
    const { unmount } = show(() => [useLabels(), useLabels({ limit: 1 }), useLabel("id-a")]);
    expect([...events.listeners.keys()]).toEqual(["planner.labels"]);
    expect(events.listeners.get("planner.labels")?.size).toBe(1);
    unmount();
    await pause(linger / 2);
    expect(events.listeners.size).toBe(1);
    const again = show(() => useLabels());
    await pause(linger);
    expect(events.listeners.size).toBe(1);
    again.unmount();
    await pause(linger);
    expect(events.listeners.size).toBe(0);
    // Data that no event reported in the meantime is refetched.
    const before = lists();
    const { result } = show(() => useLabels());
    await waitFor(() => expect(result.current.isFetching).toBe(false));
    expect(lists()).toBe(before + 1);
  });

  it("is not subscribed without a query", () => {
    show(() => [useLabels({}, { enabled: false }), useLabel(null)]);
    expect(events.listeners.size).toBe(0);
  });

  it("evicts the least recently used topic", async () => {
    const hooks = Array.from(
      { length: maxTables + 1 },
      (_, at) => defineTable<LabelsTypes>("planner", `t${at}`).hooks,
    );
    const first = show(() => hooks[0]?.useList());
    show(() => hooks.slice(1).map((one) => one.useList()));
    expect(events.listeners.size).toBe(maxTables);
    expect(events.listeners.has(`planner.t${maxTables}`)).toBe(false);
    first.unmount();
    show(() => hooks[maxTables]?.useList());
    expect(events.listeners.size).toBe(maxTables);
    expect(events.listeners.has("planner.t0")).toBe(false);
    expect(events.listeners.has(`planner.t${maxTables}`)).toBe(true);
  });
});

describe("record mutation", () => {
  let reply: (value: Reply) => void;
  beforeEach(() => {
    const pendingReply = () => new Promise<Reply>((resolve) => (reply = resolve));
    server.use({
      "POST /api/planner/labels": pendingReply,
      "PATCH /api/planner/labels/:id": pendingReply,
      "DELETE /api/planner/labels/:id": pendingReply,
    });
  });
  const refusal = () => new Reply(403, { status: 403, code: "records.forbidden", detail: "No." });

  async function open() {
    render(<Toaster />);
    const { result } = show(() => ({
      list: useLabels({ count: true }),
      named: useLabels({ filter: filter`name = ${"z"}` }),
      pages: useInfiniteLabels({ sort: ["-name"] }),
      one: useLabel("id-b"),
      create: useCreateLabel(),
      update: useUpdateLabel(),
      remove: useRemoveLabel(),
    }));
    await waitFor(() => expect(names(result.current.list.data?.items)).toBe("abc"));
    await waitFor(() => expect(result.current.one.data?.record.name).toBe("b"));
    await waitFor(() => expect(names(result.current.pages.items)).toBe("abc"));
    await waitFor(() => expect(names(result.current.named.data?.items)).toBe(""));
    return result;
  }

  it("shows at once and reverts when refused", async () => {
    const result = await open();
    act(() => result.current.update.mutate({ id: "id-b", patch: { name: "z" } }));
    await waitFor(() => expect(names(result.current.list.data?.items)).toBe("azc"));
    expect(names(result.current.named.data?.items)).toBe("z");
    expect(result.current.one.data?.record.name).toBe("z");
    // A change by another user in the meantime stays.
    events.publish("update", renamed("id-c", "y"));
    await waitFor(() => expect(names(result.current.list.data?.items)).toBe("azy"));
    act(() => reply(refusal()));
    await waitFor(() => expect(names(result.current.list.data?.items)).toBe("aby"));
    expect(names(result.current.named.data?.items)).toBe("");
    expect(result.current.one.data?.record.name).toBe("b");
    expect(screen.getByText("No.")).toBeTruthy();
  });

  it("inserts a new record under its final id", async () => {
    const result = await open();
    act(() => result.current.create.mutate({ name: "bb" }));
    await waitFor(() => expect(names(result.current.list.data?.items)).toBe("abcbb"));
    expect(result.current.list.data?.total).toBe(4);
    expect(names(result.current.pages.items)).toBe("bbabc");
    expect(names(result.current.named.data?.items)).toBe("");
    const id = result.current.list.data?.items[3]?.id ?? "";
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(server.requests.at(-1)?.body).toEqual({ name: "bb", id });
    const made = { id, name: "bb", version: 1 };
    stored = [...stored, made];
    // The event arrives before the response: the record is there once.
    events.publish("create", made);
    await pause(2 * refreshGap);
    expect(names(result.current.list.data?.items)).toBe("abcbb");
    act(() => reply(new Reply(201, made, { etag: etag(made) })));
    await waitFor(() => expect(result.current.create.isSuccess).toBe(true));
    expect(names(result.current.list.data?.items)).toBe("abcbb");
  });

  it("removes a new record when it is refused", async () => {
    const result = await open();
    act(() => result.current.create.mutate({ name: "d" }));
    await waitFor(() => expect(names(result.current.list.data?.items)).toBe("abcd"));
    act(() => reply(refusal()));
    await waitFor(() => expect(names(result.current.list.data?.items)).toBe("abc"));
    expect(result.current.list.data?.total).toBe(3);
  });

  it("restores a deleted record when it is refused", async () => {
    const result = await open();
    act(() => result.current.remove.mutate({ id: "id-b" }));
    await waitFor(() => expect(names(result.current.list.data?.items)).toBe("ac"));
    expect(result.current.list.data?.total).toBe(2);
    act(() => reply(refusal()));
    await waitFor(() => expect(names(result.current.list.data?.items)).toBe("abc"));
    expect(result.current.list.data?.total).toBe(3);
  });
});
