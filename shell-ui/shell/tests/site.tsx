import {
  definePlugin,
  Slot,
  useKeptChanges,
  useLeaveGuard,
  usePlugin,
  useRecordActions,
  type PluginDefinition,
  type ShellPlugin,
} from "@tenon/host";
import { addBrowserParts, fakeServer, type FakeServer } from "@tenon/testing";
import { useQuery } from "@tanstack/react-query";
import { clientFor, Page } from "@tenon/ui";
import { act, cleanup, render } from "@testing-library/react";
import { useState } from "react";
import { useNavigate, useParams } from "react-router";
import { afterEach, beforeAll, beforeEach, vi } from "vitest";
import { App } from "../src/app.tsx";
import type { BootData, ShellResponse } from "../src/boot.ts";
import { queryClient } from "../src/data/query-scope.tsx";
import { overlay } from "../src/frame/overlay.ts";
import { forgetFailures } from "../src/navigation/failures.ts";
import type { PluginEvent } from "../src/plugins/registry.ts";
import { createServices, type Services } from "../src/services.ts";

export const user = { id: "u1", login: "ada", name: "Ada Lovelace", role: "member" as const };

export const demo: ShellPlugin = {
  id: "demo",
  name: "Demo",
  version: "1.0.0",
  generation: 1,
  module: "/ui/plugins/demo/entry.1.js",
  integrity: "sha384-1",
  styles: [{ href: "/ui/plugins/demo/entry.1.css", integrity: "sha384-2" }],
  navigation: [{ id: "demo", title: "Demo", path: "/app/demo", icon: "notebook-pen" }],
};

export const shellOf = (plugins: readonly ShellPlugin[]): ShellResponse => ({
  name: "Analytical Society",
  user,
  permissions: ["demo.use"],
  groups: [],
  plugins,
});

/** The tab's event connection, with the test at the other end. */
export class Events {
  static last: Events | undefined;
  readyState = 1;
  onerror: ((event: Event) => void) | null = null;
  readonly listeners = new Map<string, (event: MessageEvent<string>) => void>();
  constructor() {
    Events.last = this;
  }
  addEventListener(topic: string, listener: (event: MessageEvent<string>) => void) {
    this.listeners.set(topic, listener);
  }
  close() {}
  greet() {
    this.listeners.get("hello")?.(new MessageEvent("hello", { data: '{"snapshot":1}' }));
  }
}

export let services: Services;
export let server: FakeServer;

/** How the plugin `demo` behaves. */
export const site = {
  /** Its code does not load. */
  broken: false,
  /** Its first page throws. */
  crashing: false,
  guard: null as (() => boolean) | null,
  /** It keeps unsaved changes in this browser. */
  keeps: false,
};

function List() {
  const [count, setCount] = useState(0);
  const navigate = useNavigate();
  const { basePath } = usePlugin();
  useLeaveGuard(site.guard !== null, () => site.guard?.() ?? true);
  useKeptChanges(site.keeps);
  if (site.crashing) throw new Error("list is broken");
  return (
    <Page title="Things">
      <button onClick={() => setCount(count + 1)}>Clicked {count}</button>
      <button onClick={() => void navigate(`${basePath}/things/7`)}>Open</button>
      <input aria-label="Name" />
    </Page>
  );
}

function Thing() {
  const { id = "" } = useParams();
  const actions = useRecordActions("demo.thing.actions", { id, weight: 3 });
  return (
    <Page title={`Thing ${id}`}>
      {actions.map((action) => (
        <button key={action.id} onClick={action.run}>
          {action.title}
        </button>
      ))}
      <Slot name="demo.thing.aside" props={{ thing: id }} />
    </Page>
  );
}

function Reader() {
  const { data, error } = useQuery({
    queryKey: ["demo", "text"],
    queryFn: () => clientFor("/api/demo").get<{ text: string }>("text"),
    retry: false,
  });
  return <Page title={data?.text ?? (error ? "Not read" : "Reading")}>{null}</Page>;
}

const definition = definePlugin({
  id: "demo",
  routes: [
    { index: true, page: List },
    { path: "read", page: Reader },
    { path: "things/:id", load: () => Promise.resolve({ default: Thing }) },
  ],
  contributions: {
    search: {
      things: (query) =>
        Promise.resolve([{ id: "7", title: `Result ${query}`, path: "/app/demo/things/7" }]),
      // These have the same title in the manifest; the second one finds the letters of the query.
      letters: (query) =>
        Promise.resolve(
          [...query].map((letter) => ({
            id: letter,
            title: `Initial ${letter}`,
            path: `/app/demo/${letter}`,
            context: "Alphabet",
            snippet: `The letter ${letter} in a word`,
          })),
        ),
    },
    "account.panels": {
      signature: () => Promise.resolve({ default: () => <p>Your signature</p> }),
    },
    "settings.panels": {
      license: () => Promise.resolve({ default: () => <p>Licensed to Ada</p> }),
    },
    "demo.thing.actions": {
      weigh: (thing: { id: string; weight: number }, { name }) => {
        document.title = `${name} ${thing.id} weighs ${thing.weight}`;
      },
      fail: () => Promise.reject(new Error("The scale does not work.")),
    },
    "demo.thing.aside": {
      count: () =>
        Promise.resolve({
          default: ({ thing }: { thing: string }) => <p>Thing {thing} has 3 parts</p>,
        }),
      broken: () =>
        Promise.resolve({
          default: () => {
            throw new Error("The part does not work.");
          },
        }),
    },
    "home.widgets": { newest: () => Promise.resolve({ default: () => <p>Newest things</p> }) },
  },
});

export async function start(
  path: string,
  boot: Partial<BootData> = {},
  plugins: readonly ShellPlugin[] = [demo],
) {
  window.history.replaceState(null, "", path);
  const shell = shellOf(plugins);
  services = createServices(
    { name: shell.name, session: shell, setup: false, shell, snapshot: 1, ...boot },
    {
      load: (() =>
        site.broken
          ? Promise.reject(new Error("cut"))
          : Promise.resolve({ default: definition as PluginDefinition })) as never,
      style(asset) {
        const link = document.createElement("link");
        link.href = asset.href;
        document.head.append(link);
        return Promise.resolve(link);
      },
      fetchStyle: () => Promise.resolve(),
    },
  );
  await act(async () => {
    render(<App services={services} />);
    await Promise.resolve();
  });
}

/** React renders what was suspended only inside of an awaited `act`. */
export const run = (change: () => unknown) =>
  act(async () => {
    change();
    await new Promise((resolve) => setTimeout(resolve, 20));
  });
export const notify = (event: PluginEvent) => run(() => services.registry.apply(event));

/** Registers what each test of a file needs: a page, a server, and the end of both. */
export function setUpSite(): void {
  beforeAll(() => {
    addBrowserParts();
    vi.stubGlobal("EventSource", Events);
  });
  beforeEach(() => {
    Object.assign(site, { broken: false, crashing: false, guard: null, keeps: false });
    server = fakeServer({ "GET /api/core/shell": () => shellOf([demo]) });
    vi.spyOn(console, "error").mockImplementation(() => undefined);
  });
  afterEach(() => {
    cleanup();
    queryClient.clear();
    forgetFailures();
    overlay.set(null);
    server.close();
    localStorage.clear();
    document.head.replaceChildren();
  });
}
