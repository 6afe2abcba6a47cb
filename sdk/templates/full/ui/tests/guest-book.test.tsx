import { addBrowserParts, fakeServer, renderPlugin, Reply, type FakeServer } from "@tenon/testing";
import { cleanup, configure, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, it } from "vitest";
import plugin from "../src/index.tsx";

const entry = {
  id: "0192a000-0000-7000-8000-000000000001",
  text: "Ada was here",
  created: "2026-11-22T10:00:00.000Z",
  updated: "2026-11-22T10:00:00.000Z",
  created_by: "u1",
  updated_by: "u1",
};

addBrowserParts();
configure({ asyncUtilTimeout: 20_000 });

let server: FakeServer;
beforeEach(() => {
  server = fakeServer({
    "GET /api/my-plugin/entries": () => ({ items: [entry], next: null }),
    "POST /api/my-plugin/entries": ({ body }) => new Reply(201, { ...entry, ...(body as object) }),
  });
});
afterEach(() => {
  cleanup();
  server.close();
});

it("shows entries", async () => {
  await renderPlugin(plugin);
  await screen.findByText(/Ada was here/);
});

it("shows an empty state without entries", async () => {
  server.use({ "GET /api/my-plugin/entries": () => ({ items: [], next: null }) });
  await renderPlugin(plugin);
  await screen.findByText("No entries yet");
});

it("shows a new entry before the server responds", async () => {
  await renderPlugin(plugin);
  await screen.findByText(/Ada was here/);
  fireEvent.change(screen.getByLabelText("Your entry"), { target: { value: " Ben too " } });
  fireEvent.click(screen.getByRole("button", { name: "Sign" }));
  await screen.findByText(/Ben too/);
  await waitFor(() =>
    expect(
      server.requests.filter(({ method }) => method === "POST").map(({ body }) => body),
    ).toMatchObject([{ text: "Ben too" }]),
  );
});

it("does not send a blank entry", async () => {
  await renderPlugin(plugin);
  await screen.findByText(/Ada was here/);
  fireEvent.click(screen.getByRole("button", { name: "Sign" }));
  expect(server.requests.every(({ method }) => method === "GET")).toBe(true);
});

it("shows an error if loading fails", async () => {
  server.use({
    "GET /api/my-plugin/entries": () =>
      new Reply(500, { status: 500, code: "http.internal", title: "Internal error" }),
  });
  await renderPlugin(plugin);
  await screen.findByText("Could not load the guest book");
});
