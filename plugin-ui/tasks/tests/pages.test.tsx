import { addBrowserParts, fakeServer, renderPlugin, Reply, type FakeServer } from "@tenon/testing";
import { cleanup, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import tasks from "../src/index.tsx";

const id = "0192a000-0000-7000-8000-000000000001";
const board = {
  id,
  title: "Launch",
  description: "Until the site is live",
  archived: null,
  readers: [],
  writers: ["u2"],
  reader_groups: [],
  writer_groups: [],
  created: "2026-11-22T10:00:00.000Z",
  updated: "2026-11-22T10:00:00.000Z",
  created_by: "u1",
  updated_by: "u1",
};
const list = (items: readonly unknown[]) => () => ({ items, next: null });
const broken = () => new Reply(500, { status: 500, code: "http.internal", title: "It broke" });

addBrowserParts();

let server: FakeServer;
beforeEach(() => {
  server = fakeServer({
    "GET /api/tasks/boards": list([board]),
    "GET /api/tasks/cards": () => ({ items: [{ board: id, count: 3 }], more: false }),
  });
});
afterEach(() => {
  cleanup();
  server.close();
});

describe("boards page", () => {
  it("shows boards with their card counts", async () => {
    await renderPlugin(tasks);
    const tile = await screen.findByRole("link", { name: /Launch/ });
    expect(tile.getAttribute("href")).toBe(`/app/tasks/${id}`);
    await screen.findByText("3 cards");
    expect(tile.textContent).toContain("Shared");
  });

  it("offers to create the first board", async () => {
    server.use({ "GET /api/tasks/boards": list([]) });
    await renderPlugin(tasks);
    await screen.findByText("No boards yet");
    screen.getByRole("button", { name: "New board" }).click();
    await screen.findByRole("textbox", { name: "Name", hidden: true });
  });

  it("reports a failure and refetches", async () => {
    server.use({ "GET /api/tasks/boards": broken });
    await renderPlugin(tasks);
    await screen.findByText("Could not load the boards");
    server.use({ "GET /api/tasks/boards": list([board]) });
    screen.getByRole("button", { name: "Retry" }).click();
    await screen.findByRole("link", { name: /Launch/ });
  });
});

describe("board page", () => {
  it("links back from an unknown board", async () => {
    await renderPlugin(tasks, { at: `/app/tasks/${id}` });
    await screen.findByText("Board not found", {}, { timeout: 10_000 });
    expect(screen.getByRole("link", { name: "All boards" }).getAttribute("href")).toBe(
      "/app/tasks",
    );
  });

  it("reports a board that failed to load", async () => {
    server.use({ [`GET /api/tasks/boards/${id}`]: broken });
    await renderPlugin(tasks, { at: `/app/tasks/${id}` });
    await screen.findByText("Could not load the board", {}, { timeout: 10_000 });
    screen.getByRole("button", { name: "Retry" });
  });
});

describe("mentions", () => {
  const column = { id: "c1", board: id, title: "Now", position: "a0", most: null, done: false };
  const cardOf = (name: string) => ({
    id: name,
    board: id,
    column: "c1",
    title: name,
    described: false,
    assignees: [],
    labels: [],
    due: null,
    files: null,
    repeat: null,
    position: "a0",
    archived: null,
    updated: board.updated,
  });
  const asked = () =>
    server.requests.filter(({ path, query }) => path.endsWith("/comments") && !query.has("agg"));

  it("shows cards of the newest comments", async () => {
    let respond: (value: unknown) => void = () => undefined;
    server.use({
      [`GET /api/tasks/boards/${id}`]: () => board,
      "GET /api/tasks/columns": list([column]),
      "GET /api/tasks/labels": list([]),
      "GET /api/tasks/checklist_items": list([]),
      "GET /api/tasks/cards": list([cardOf("Roof"), cardOf("Wall")]),
      "GET /api/tasks/comments": ({ query }) =>
        query.has("agg") ? list([])() : new Promise((resolve) => (respond = resolve)),
    });
    await renderPlugin(tasks, { at: `/app/tasks/${id}?mentioned` });
    await waitFor(() => expect(asked()).toHaveLength(1));
    expect(Object.fromEntries(asked()[0]?.query ?? [])).toMatchObject({
      sort: "-created",
      limit: "200",
    });
    await waitFor(() =>
      expect(server.requests.some(({ path }) => path.endsWith("/labels"))).toBe(true),
    );
    expect(screen.queryByRole("heading", { name: "Now" })).toBeNull();
    respond(new Reply(500, { status: 500, code: "http.internal", title: "It broke" }));
    await screen.findByText("Could not load the board", {}, { timeout: 10_000 });
    screen.getByRole("button", { name: "Retry" }).click();
    await waitFor(() => expect(asked().length).toBeGreaterThan(1));
    respond({ items: [{ id: "m1", card: "Roof" }], next: null });
    await screen.findByRole("link", { name: /Roof/ });
    expect(screen.queryByRole("link", { name: /Wall/ })).toBeNull();
  });

  it("names the author, even if unknown", async () => {
    const comment = (name: string, created_by: string | null) => ({
      id: name,
      board: id,
      card: "x",
      text: name,
      created: board.created,
      created_by,
      expand: { board: { title: "Launch" }, card: { title: name } },
    });
    server.use({
      "GET /api/tasks/comments": list([
        comment("One", "u2"),
        comment("Two", null),
        comment("Three", "u9"),
      ]),
      "GET /api/core/people": list([{ id: "u2", name: "Mary Shaw" }]),
    });
    await renderPlugin(tasks, { at: "/app/tasks/mentions" });
    await screen.findByText(/^Mary Shaw · Launch/, {}, { timeout: 10_000 });
    expect(screen.getAllByText(/^Someone · Launch/)).toHaveLength(2);
  });
});
