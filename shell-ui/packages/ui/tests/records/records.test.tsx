import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fakeServer, Reply, type FakeServer } from "@tenon/testing";
import { filter } from "@tenon/ui/records";
import { act, cleanup, renderHook, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  cards,
  labels,
  useBatchLabels,
  useCreateLabel,
  useInfiniteLabels,
  useLabel,
  useLabels,
  useRemoveLabel,
  useUpdateLabel,
  type Label,
} from "./planner.gen.ts";

let server: FakeServer;
let stored: Label[];

const etag = (label: Label) => `"${label.version}-x"`;
const tagged = (status: number, label: Label) => new Reply(status, label, { etag: etag(label) });
const missing = () => new Reply(404, { status: 404, code: "records.not_found" });

beforeEach(() => {
  stored = ["a", "b", "c"].map((name) => ({ id: `id-${name}`, name, version: 1 }));
  const find = (id: string | undefined) => stored.find((label) => label.id === id);
  // Shapes and statuses as docs/records.md has them.
  server = fakeServer({
    "GET /api/planner/labels": ({ query }) => {
      const limit = Number(query.get("limit") ?? 50);
      const from = Number(query.get("cursor") ?? 0);
      const items = stored.slice(from, from + limit);
      const next = from + limit < stored.length ? String(from + limit) : null;
      return { items, next, ...(query.get("count") && { total: stored.length }) };
    },
    "GET /api/planner/labels/:id": ({ params }) => {
      const label = find(params.id);
      return label ? tagged(200, label) : missing();
    },
    "POST /api/planner/labels": ({ body }) => {
      const label = { id: "id-new", version: 1, ...(body as { name: string }) };
      stored.push(label);
      return tagged(201, label);
    },
    "PATCH /api/planner/labels/:id": ({ params, body, headers }) => {
      const label = find(params.id);
      if (!label) return missing();
      const match = headers.get("if-match");
      if (match && match !== etag(label))
        return new Reply(412, { status: 412, code: "records.conflict", record: label });
      const changed = { ...label, ...(body as object), version: label.version + 1 };
      stored = stored.map((one) => (one.id === label.id ? changed : one));
      return tagged(200, changed);
    },
    "DELETE /api/planner/labels/:id": ({ params }) => {
      stored = stored.filter(({ id }) => id !== params.id);
      return new Reply(204);
    },
    "POST /api/planner/labels/batch": ({ body }) => {
      const ids = (body as { delete: string[] }).delete;
      stored = stored.filter(({ id }) => !ids.includes(id));
      return { create: [], update: [], delete: ids };
    },
  });
});

afterEach(() => {
  cleanup();
  server.close();
});

describe("table client", () => {
  it("sends list parameters in the API's format", async () => {
    await labels.list();
    expect(String(server.requests[0]?.query)).toBe("");
    const page = await labels.list({
      filter: filter`name = ${"it's & more"}`,
      q: '"call back" ada',
      sort: ["-name", "id"],
      fields: ["name"],
      limit: 2,
      cursor: "1",
      count: true,
    });
    expect(Object.fromEntries(server.requests[1]?.query ?? [])).toEqual({
      filter: "name = 'it''s & more'",
      q: '"call back" ada',
      sort: "-name,id",
      fields: "name",
      limit: "2",
      cursor: "1",
      count: "true",
    });
    expect(page).toEqual({ items: stored.slice(1), next: null, total: 3 });
  });

  it("sends group parameters in the API's format", async () => {
    server.use({ "GET /api/planner/cards": () => ({ items: [{ state: "open" }], more: false }) });
    const { items } = await cards.groups({
      group: ["state", "month(due)"],
      agg: ["count", "sum(hours)"],
      filter: filter`pinned = ${true}`,
      sort: ["-sum(hours)", "state"],
      limit: 5,
    });
    expect(items).toEqual([{ state: "open" }]);
    expect(Object.fromEntries(server.requests.at(-1)?.query ?? [])).toEqual({
      group: "state,month(due)",
      agg: "count,sum(hours)",
      filter: "pinned = true",
      sort: "-sum(hours),state",
      limit: "5",
    });
    await cards.groups({});
    expect(Object.fromEntries(server.requests.at(-1)?.query ?? [])).toEqual({ agg: "count" });
  });

  it("updates only the version that was read", async () => {
    const { record, etag: tag } = await labels.get("id-a");
    expect(record.name).toBe("a");
    const changed = await labels.update("id-a", { name: "z" }, tag);
    expect(changed).toEqual({ record: { id: "id-a", name: "z", version: 2 }, etag: '"2-x"' });
    await expect(labels.update("id-a", { name: "y" }, tag)).rejects.toMatchObject({
      status: 412,
      code: "records.conflict",
      body: { record: { name: "z" } },
    });
    await labels.update("id-a", { name: "x" });
    expect(server.requests.at(-1)?.headers.get("if-match")).toBeNull();
    expect(stored[0]?.name).toBe("x");
  });

  it("creates and deletes, also in batches", async () => {
    expect((await labels.create({ name: "n" })).record.id).toBe("id-new");
    await labels.remove("id-new", '"1-x"');
    expect(server.requests.at(-1)?.headers.get("if-match")).toBe('"1-x"');
    expect(await labels.batch({ delete: ["id-a"] })).toEqual({
      create: [],
      update: [],
      delete: ["id-a"],
    });
    expect(stored.map(({ name }) => name)).toEqual(["b", "c"]);
    await expect(labels.get("a/b?c")).rejects.toMatchObject({ status: 404 });
    expect(server.requests.at(-1)?.params.id).toBe("a/b?c");
  });
});

describe("table hooks", () => {
  function render<R>(hook: () => R) {
    const client = new QueryClient({
      defaultOptions: { queries: { retry: false, staleTime: Infinity } },
    });
    const wrapper = ({ children }: { children: ReactNode }) => (
      <QueryClientProvider client={client}>{children}</QueryClientProvider>
    );
    return renderHook(hook, { wrapper }).result;
  }
  const names = (items: readonly Pick<Label, "name">[] | undefined) =>
    items?.map(({ name }) => name).join("");

  it("read lists by page and single records", async () => {
    const result = render(() => ({
      list: useLabels({ limit: 2, count: true }),
      pages: useInfiniteLabels({ limit: 2 }),
      one: useLabel("id-b"),
      none: useLabel(null),
      waiting: useLabels({ limit: 1 }, { enabled: false }),
    }));
    await waitFor(() => expect(result.current.one.data?.record.name).toBe("b"));
    await waitFor(() => expect(names(result.current.list.data?.items)).toBe("ab"));
    expect(result.current.list.data?.total).toBe(3);
    await waitFor(() => expect(names(result.current.pages.items)).toBe("ab"));
    await act(() => result.current.pages.fetchNextPage());
    await waitFor(() => expect(names(result.current.pages.items)).toBe("abc"));
    expect(result.current.pages.hasNextPage).toBe(false);
    expect(result.current.none.fetchStatus).toBe("idle");
    expect(result.current.waiting.fetchStatus).toBe("idle");
  });

  it("show a change before lists are refetched", async () => {
    const result = render(() => ({
      list: useLabels({ fields: ["name"] }),
      pages: useInfiniteLabels(),
      one: useLabel("id-b"),
      update: useUpdateLabel(),
    }));
    await waitFor(() => expect(names(result.current.list.data?.items)).toBe("abc"));
    await waitFor(() => expect(names(result.current.pages.items)).toBe("abc"));
    await waitFor(() => expect(result.current.one.data?.etag).toBe('"1-x"'));
    let isOpen: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (isOpen = resolve));
    server.use({
      "GET /api/planner/labels": async () => {
        await gate;
        return { items: stored.toReversed(), next: null };
      },
    });
    act(() =>
      result.current.update.mutate({
        id: "id-b",
        patch: { name: "z" },
        etag: result.current.one.data?.etag,
      }),
    );
    await waitFor(() => expect(names(result.current.list.data?.items)).toBe("azc"));
    expect(names(result.current.pages.items)).toBe("azc");
    expect(result.current.one.data).toEqual({
      record: { id: "id-b", name: "z", version: 2 },
      etag: '"2-x"',
    });
    isOpen();
    await waitFor(() => expect(names(result.current.pages.items)).toBe("cza"));
    await waitFor(() => expect(result.current.update.isSuccess).toBe(true));
  });

  it("add new records and remove deleted ones", async () => {
    const result = render(() => ({
      list: useLabels(),
      create: useCreateLabel(),
      remove: useRemoveLabel(),
      batch: useBatchLabels(),
    }));
    await waitFor(() => expect(names(result.current.list.data?.items)).toBe("abc"));
    await act(() => result.current.create.mutateAsync({ name: "n" }));
    await waitFor(() => expect(names(result.current.list.data?.items)).toBe("abcn"));
    await act(() => result.current.remove.mutateAsync({ id: "id-a" }));
    await waitFor(() => expect(names(result.current.list.data?.items)).toBe("bcn"));
    await act(() => result.current.batch.mutateAsync({ delete: ["id-b", "id-c"] }));
    await waitFor(() => expect(names(result.current.list.data?.items)).toBe("n"));
  });
});
