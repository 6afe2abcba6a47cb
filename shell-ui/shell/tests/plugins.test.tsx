import { createStore, EventProvider } from "@tenon/host";
import { addBrowserParts, fakeServer, Reply, type FakeServer } from "@tenon/testing";
import { act, cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { MemoryRouter, Route, Routes } from "react-router";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { queryClient } from "../src/data/query-scope.tsx";
import { createServices, ServicesProvider } from "../src/services.ts";
import type { MigrationProgress, PluginRecord } from "../src/admin/console-api.ts";
import PluginDetailPage from "../src/admin/plugins/plugin-detail-page.tsx";
import PluginsPage from "../src/admin/plugins/plugins-page.tsx";

const record = (migration: MigrationProgress | null): PluginRecord => ({
  id: "mail",
  name: "Mail",
  version: "2.0.0",
  state: migration ? "resolved" : "active",
  enabled: true,
  reason: null,
  migration,
  resident: 0,
  abi: { major: 0, minor: 9 },
  routes: 1,
  tables: [],
  permissions: [],
  response_headers: [],
  outgoing: [],
  public_paths: [],
  requests: 0,
  errors: 0,
  ui: false,
  signer: "",
  previous: "",
  generation: 1,
});

const events = {
  status: createStore("open" as const),
  subscribe: () => () => undefined,
  onOpen: () => () => undefined,
};

let server: FakeServer;
let plugin: PluginRecord;

beforeAll(addBrowserParts);
beforeEach(() => {
  queryClient.clear();
  server = fakeServer({ "GET /api/core/plugins": () => ({ items: [plugin], next: null }) });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  server.close();
});

async function show(path = "/settings/plugins") {
  const services = createServices({ name: "T", session: null, setup: false, shell: null });
  await act(async () => {
    render(
      <ServicesProvider value={services}>
        <EventProvider value={events}>
          <MemoryRouter initialEntries={[path]}>
            <Routes>
              <Route path="/settings/plugins" element={<PluginsPage />} />
              <Route path="/settings/plugins/:id" element={<PluginDetailPage />} />
            </Routes>
          </MemoryRouter>
        </EventProvider>
      </ServicesProvider>,
    );
    await Promise.resolve();
  });
}

describe("plugin migration", () => {
  it("shows progress until the plugin is active", async () => {
    plugin = record({ number: 1, name: "split_names", done: 1500, total: 4000 });
    await show();
    await screen.findByText(/1,500 of 4,000 rows · 37 %/);
    const bar = screen.getByRole("progressbar", { name: "Migration split_names" });
    expect(bar).toHaveProperty("value", 0.375);
    expect(screen.getByText("Migrating")).toBeTruthy();
    // It changes every second: a screen reader must not read every change.
    expect(bar.closest("[role=status], [aria-live]")).toBeNull();
    plugin = record({ number: 1, name: "split_names", done: 3999, total: 4000 });
    await screen.findByText(/3,999 of 4,000 rows · 99 %/);
    plugin = record(null);
    await screen.findByText("Active");
    expect(screen.queryByRole("progressbar")).toBeNull();
  });

  it("shows an indeterminate bar without a total", async () => {
    plugin = record({ number: 1, name: "split_names", done: 0, total: 0 });
    await show();
    await screen.findByText(/Starting/);
    expect(screen.getByRole("progressbar").hasAttribute("value")).toBe(false);
  });
});

describe("quarantined plugin", () => {
  it("shows the reason and can be enabled", async () => {
    const message = "The server went down while the library of this plugin was loaded.";
    plugin = {
      ...record(null),
      state: "quarantined",
      reason: { code: "plugins.crashed", message },
    };
    server.use({ "POST /api/core/plugins/mail/enable": () => (plugin = record(null)) });
    await show();
    await screen.findByText("Quarantined");
    expect(screen.getByText(message)).toBeTruthy();
    expect(screen.getByText("plugins.crashed")).toBeTruthy();
    await act(async () => screen.getByRole("button", { name: "Try again" }).click());
    await screen.findByText("Active");
    expect(screen.queryByText(message)).toBeNull();
  });
});

describe("public paths of a plugin", () => {
  const path = { path: "/s", route: "/go", title: "Short links", granted: false, taken_by: "" };

  it("are granted and revoked", async () => {
    plugin = { ...record(null), public_paths: [path] };
    const sent: unknown[] = [];
    const change = (granted: boolean) => (body: unknown) => {
      sent.push(body);
      plugin = { ...plugin, public_paths: [{ ...path, granted }] };
      return granted ? plugin : new Reply(204);
    };
    server.use({
      "POST /api/core/plugins/mail/grant-path": ({ body }) => change(true)(body),
      "POST /api/core/plugins/mail/revoke-path": ({ body }) => change(false)(body),
    });
    await show("/settings/plugins/mail");
    const control = await screen.findByRole("switch", { name: /at \/s/ });
    for (const on of [true, false]) {
      await act(async () => control.click());
      await waitFor(() => expect(control).toHaveProperty("checked", on));
    }
    expect(sent).toEqual([{ path: "/s" }, { path: "/s" }]);
  });

  it("name the plugin that has the path", async () => {
    plugin = { ...record(null), public_paths: [{ ...path, taken_by: "links" }] };
    await show("/settings/plugins/mail");
    await screen.findByText("Used by links");
    expect(screen.queryByRole("switch", { name: /at \/s/ })).toBeNull();
  });
});

describe("crashed plugin", () => {
  it("shows its last crash with the stack", async () => {
    let copied = "";
    vi.stubGlobal("navigator", {
      clipboard: { writeText: (text: string) => Promise.resolve(void (copied = text)) },
    });
    plugin = {
      ...record(null),
      last_crash: {
        time: "2026-11-28T10:00:00.000Z",
        by: "signal 11 (SIGSEGV)",
        operation: "the handler of a request (GET /api/mail/letters, request 4f2a)",
        request: "4f2a",
        trace: ["mail: mail::send() at src/mail.cpp:12", "mail+0x1a2b"],
      },
    };
    await show("/settings/plugins/mail");
    await screen.findByRole("heading", { name: "Last crash" });
    expect(screen.getByText("signal 11 (SIGSEGV)")).toBeTruthy();
    expect(screen.getByText("4f2a")).toBeTruthy();
    expect(screen.getByLabelText("Stack").textContent).toContain("src/mail.cpp:12\nmail+0x1a2b");
    fireEvent.click(screen.getByRole("button", { name: "Copy report" }));
    expect(copied).toMatch(/^Plugin: mail\nInstalled version: 2\.0\.0\nTime: 2026-11-28T10:00/);
    expect(copied).toMatch(
      /request 4f2a\)\nmail: mail::send\(\) at src\/mail\.cpp:12\nmail\+0x1a2b$/,
    );
  });

  it("shows no crash if there was none", async () => {
    plugin = record(null);
    await show("/settings/plugins/mail");
    await screen.findByRole("heading", { name: "About" });
    expect(screen.queryByRole("heading", { name: "Last crash" })).toBeNull();
  });
});
