import { useQuery } from "@tanstack/react-query";
import { definePlugin, useCommand, useLeaveGuard, useServerEvent } from "@tenon/host";
import { ErrorState, Page, useApi } from "@tenon/ui";
import { cleanup, screen } from "@testing-library/react";
import { useState } from "react";
import { Link } from "react-router";
import { afterEach, beforeAll, expect, it, vi } from "vitest";
import { addBrowserParts, fakeServer, renderPlugin, Reply, type FakeServer } from "@tenon/testing";

let server: FakeServer;

beforeAll(addBrowserParts);
afterEach(() => {
  cleanup();
  server.close();
});

function List() {
  const api = useApi();
  const [events, setEvents] = useState(0);
  const { data, error } = useQuery({
    queryKey: ["demo"],
    queryFn: ({ signal }) => api.get<{ name: string }>("things/a b", { signal }),
  });
  useServerEvent("demo.things", () => setEvents((count) => count + 1));
  useCommand({ id: "new", title: "New thing", run: () => undefined });
  useLeaveGuard(events > 0, () => false);
  if (error) return <ErrorState error={error} />;
  return (
    <Page title="Things">
      <p>{data?.name ?? "…"}</p>
      <p>{events} events</p>
      <Link to="two">Two</Link>
    </Page>
  );
}

const dispose = vi.fn();
const plugin = definePlugin({
  id: "demo",
  routes: [
    { index: true, page: List },
    { path: "two", load: () => Promise.resolve({ default: () => <Page title="Two" /> }) },
  ],
  activate(context) {
    context.setBadge(2);
    return dispose;
  },
});

it("renders a plugin with data, events and commands", async () => {
  server = fakeServer({
    "GET /api/demo/things/:id": ({ params }) => ({ name: `thing ${params.id}` }),
  });
  const view = await renderPlugin(plugin);
  expect(await screen.findByText("thing a b")).toBeTruthy();
  expect(view.badge()).toBe(2);
  expect(view.commands.commands.get().map(({ title }) => title)).toEqual(["New thing"]);
  expect(await view.mayLeave()).toBe(true);
  view.emit("demo.things", {});
  expect(screen.getByText("1 events")).toBeTruthy();
  expect(await view.mayLeave()).toBe(false);
  view.disable();
  expect(dispose).toHaveBeenCalledOnce();
  expect(view.commands.commands.get()).toEqual([]);
  expect(view.context.signal.aborted).toBe(true);
});

it("shows a page from its own chunk", async () => {
  server = fakeServer({});
  const view = await renderPlugin(plugin, { at: "/app/demo/two" });
  expect(await screen.findByRole("heading", { name: "Two" })).toBeTruthy();
  expect(view.location()).toBe("/app/demo/two");
});

it("responds with problems, or not when offline", async () => {
  server = fakeServer({
    "GET /api/demo/things/:id": () => new Reply(403, { code: "demo.no", detail: "Not for you." }),
  });
  const { unmount } = await renderPlugin(plugin);
  expect(await screen.findByText("Not for you.")).toBeTruthy();
  unmount();
  server.offline = true;
  await renderPlugin(plugin);
  expect(await screen.findByText(/cannot be reached/)).toBeTruthy();
});
