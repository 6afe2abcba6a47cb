import { createStore, EventProvider } from "@tenon/host";
import {
  addBrowserParts,
  fakeServer,
  Reply,
  type FakeHandler,
  type FakeServer,
} from "@tenon/testing";
import { Toaster } from "@tenon/ui";
import { act, cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { queryClient } from "../src/data/query-scope.tsx";
import { createServices, ServicesProvider } from "../src/services.ts";
import { Changelog } from "../src/admin/registry/changelog.tsx";
import type { PackagePlan } from "../src/admin/plugins/packages-api.ts";
import PluginsPage from "../src/admin/plugins/plugins-page.tsx";
import type { RegistryPage, RegistryPlugin } from "../src/admin/registry/registry-api.ts";

const polls: RegistryPlugin = {
  id: "polls",
  name: "Polls",
  description: "Ask and decide",
  author: "Acme",
  license: "MIT",
  icon: "",
  latest: "1.1.0",
  installed: null,
  installable: "1.1.0",
  reasons: [],
  with: [],
};

const page: RegistryPage = {
  url: "https://plugins.example/tenon",
  serial: 7,
  read: "2026-11-20T08:15:30.000Z",
  tried: "2026-11-20T08:15:30.000Z",
  error: null,
  total: 1,
  items: [polls],
  next: null,
};

const planOf = (id: string, name: string): PackagePlan => ({
  id,
  name,
  change: "install",
  from: "",
  to: "1.0.0",
  package: `package-of-${id}`,
  packed: 90_000,
  unpacked: 250_000,
  signer: { key: "0123456789ABCDEF", name: "Acme", trust: "trusted" },
  permissions: [],
  new_permissions: [],
  gone_permissions: [],
  response_headers: [],
  outgoing: [],
  public_paths: [],
  requires: [],
  consents: [],
  refusals: [],
  data: null,
});

const events = {
  status: createStore("open" as const),
  subscribe: () => () => undefined,
  onOpen: () => () => undefined,
};

const refresh = "/api/core/registry/refresh";

let server: FakeServer;
beforeAll(addBrowserParts);
beforeEach(() => queryClient.clear());
afterEach(() => {
  cleanup();
  server.close();
});

/** Renders the tab with the registry; the server responds with this page. */
async function show(response: RegistryPage, handlers: Readonly<Record<string, FakeHandler>> = {}) {
  server = fakeServer({
    "GET /api/core/registry": () => response,
    "GET /api/core/plugins": () => ({ items: [], next: null }),
    [`POST ${refresh}`]: () => response,
    ...handlers,
  });
  const services = createServices({ name: "T", session: null, setup: false, shell: null });
  await act(async () => {
    render(
      <ServicesProvider value={services}>
        <EventProvider value={events}>
          <MemoryRouter initialEntries={["/settings/plugins?tab=browse"]}>
            <PluginsPage />
            <Toaster />
          </MemoryRouter>
        </EventProvider>
      </ServicesProvider>,
    );
    await Promise.resolve();
  });
}

const error = (code: string) => ({ code: `plugins.${code}`, message: "https://x: What is wrong." });

describe("registry page", () => {
  it("explains how to configure a registry", async () => {
    await show({ ...page, url: null, serial: null, read: null, items: [], total: 0 });
    await screen.findByText("No registry configured");
    expect(document.body.textContent).toContain("registry.key =");
  });

  it("reports a registry that was never loaded", async () => {
    await show({ ...page, serial: null, read: null, items: [], error: error("signature_invalid") });
    await screen.findByText("The registry list was rejected");
    await screen.findByText("https://x: What is wrong.");
    fireEvent.click(screen.getByRole("button", { name: "Try again" }));
    await waitFor(() => expect(server.requests.map(({ path }) => path)).toContain(refresh));
  });

  it("shows the age of the last valid list", async () => {
    await show({ ...page, error: error("registry_unreachable") });
    const said = await screen.findByText("The registry cannot be reached");
    expect(said.parentElement?.querySelector("time")?.dateTime).toBe(page.read);
    await screen.findByRole("heading", { name: "Polls" });
  });

  it("reports a list older than the server", async () => {
    await show({ ...page, read: null, error: error("registry_older") });
    await screen.findByText("The new registry list was rejected");
    expect(document.body.textContent).toContain("loaded before the server started");
  });

  it("explains why a plugin cannot be installed", async () => {
    const refused = { ...polls, installable: null, reasons: [error("abi_too_new")] };
    await show({ ...page, items: [refused] });
    await screen.findByText("Needs a newer server");
    expect(screen.queryByRole("button", { name: /^Install Polls/ })).toBeNull();
  });

  it("searches after typing pauses", async () => {
    await show(page);
    const search = await screen.findByRole("searchbox", { name: "Search the registry" });
    for (const value of ["d", "de", "dec"]) fireEvent.change(search, { target: { value } });
    const asked = () => server.requests.map(({ query }) => query.get("q")).filter(Boolean);
    await waitFor(() => expect(asked()).toEqual(["dec"]));
  });
});

describe("plugin with requirements", () => {
  const board = {
    ...polls,
    with: [{ id: "teams", name: "Teams", version: "1.0.0", installed: null }],
  };
  const download = (state: string, name: string | null) => ({
    number: 3,
    state,
    done: 50,
    total: 100,
    package: name,
    error: null,
  });

  it("installs each requirement after its own plan", async () => {
    let wanted = "";
    await show(
      { ...page, items: [board] },
      {
        "POST /api/core/registry/downloads": ({ body }) => {
          wanted = (body as { id: string }).id;
          return new Reply(202, download("running", null));
        },
        "GET /api/core/registry/downloads/:number": () => download("done", `package-of-${wanted}`),
        "POST /api/core/plugins/plan": () => planOf(wanted, wanted === "teams" ? "Teams" : "Polls"),
        "POST /api/core/plugins": () => ({}),
      },
    );
    fireEvent.click(await screen.findByRole("button", { name: "Install Polls" }));
    fireEvent.click(
      await screen.findByRole("button", { name: "Install and continue", hidden: true }),
    );
    await screen.findByRole("heading", { name: "Install Polls", hidden: true });
    fireEvent.click(await screen.findByRole("button", { name: "Install", hidden: true }));
    await screen.findByText("Polls 1.0.0 installed");
    const installed = server.requests.filter(
      ({ method, path }) => method === "POST" && path === "/api/core/plugins",
    );
    expect(installed.map(({ body }) => (body as { package: string }).package)).toEqual([
      "package-of-teams",
      "package-of-polls",
    ]);
  });

  it("stops when a download fails", async () => {
    await show(page, {
      "POST /api/core/registry/downloads": () => new Reply(202, download("running", null)),
      "GET /api/core/registry/downloads/:number": () => ({
        ...download("failed", null),
        error: error("registry_damaged"),
      }),
    });
    fireEvent.click(await screen.findByRole("button", { name: "Install Polls" }));
    await screen.findByText("https://x: What is wrong.");
    expect(screen.getByRole("button", { name: "Try again", hidden: true })).toBeTruthy();
  });
});

describe("changelog", () => {
  it("renders text and never markup", () => {
    server = fakeServer({});
    const { container } = render(
      <Changelog
        text={
          "### Added\n- **Bold** and `code`\n  over two lines\n- <img src=x>\n\nSee [this](javascript:alert)\nas well."
        }
      />,
    );
    expect(container.querySelector("h4")?.textContent).toBe("Added");
    expect([...container.querySelectorAll("li")].map((item) => item.textContent)).toEqual([
      "Bold and code over two lines",
      "<img src=x>",
    ]);
    expect(container.querySelector("p")?.textContent).toBe("See this as well.");
    expect(container.querySelector("a, img")).toBeNull();
  });
});
