import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import {
  CommandProvider,
  createCommandRegistry,
  createDisposer,
  createStore,
  EventProvider,
  LeaveGuardProvider,
  PluginProvider,
  SessionProvider,
  type CommandRegistry,
  type Disposer,
  type EventStream,
  type LeaveGuard,
  type PluginContext,
  type PluginDefinition,
  type PluginRoute,
  type ServerEvent,
  type Session,
  type User,
} from "@tenon/host";
import { Toaster } from "@tenon/ui";
import { act, render, type RenderResult } from "@testing-library/react";
import { lazy, Suspense, type ReactNode } from "react";
import { MemoryRouter, Route, Routes, useLocation } from "react-router";

export interface RenderPluginOptions {
  /** The first location; default: `/app/<id>`. */
  at?: string;
  user?: Partial<User>;
  permissions?: readonly string[];
  /** Ids of the groups that the user belongs to; default: none. */
  groups?: readonly string[];
}

export interface RenderedPlugin extends RenderResult {
  readonly context: PluginContext;
  readonly commands: CommandRegistry;
  readonly badge: () => number;
  /** Path and query that the page is at. */
  readonly location: () => string;
  /** Runs the checks of the shell before it leaves the page. */
  readonly mayLeave: () => Promise<boolean>;
  /** An event as the host sends it. */
  emit(topic: string, data: unknown): void;
  /** The plugin is disabled: pages unmount, then everything else ends. */
  disable(): void;
}

const ada: User = { id: "u1", login: "ada", name: "Ada Lovelace", role: "member" };

function elementOf({ page: Page, load }: PluginRoute): ReactNode {
  if (Page) return <Page />;
  if (!load) return undefined;
  const Lazy = lazy(load);
  return <Lazy />;
}

function toRoute(route: PluginRoute, index: number): ReactNode {
  if (route.index) return <Route key={index} index element={elementOf(route)} />;
  return (
    <Route key={index} path={route.path} element={elementOf(route)}>
      {route.children?.map(toRoute)}
    </Route>
  );
}

/** Renders a plugin as the shell does, without the shell: router, session, data, commands, events. */
export async function renderPlugin(
  definition: PluginDefinition,
  options: RenderPluginOptions = {},
): Promise<RenderedPlugin> {
  const { id } = definition;
  const session = createStore<Session>({
    status: "signed-in",
    user: { ...ada, ...options.user },
    permissions: options.permissions ?? [`${id}.use`],
    groups: options.groups ?? [],
  });
  const listeners = new Map<string, Set<(event: ServerEvent) => void>>();
  const events: EventStream = {
    status: createStore("open" as const),
    onOpen: () => () => undefined,
    subscribe(topic, listener) {
      const all = listeners.get(topic) ?? new Set();
      listeners.set(topic, all.add(listener));
      return () => all.delete(listener);
    },
  };
  const commands = createCommandRegistry();
  const guards = new Set<LeaveGuard>();
  const disposer: Disposer = createDisposer();
  const controller = new AbortController();
  let badge = 0;
  const context: PluginContext = {
    id,
    name: id,
    version: "0.0.0",
    generation: 1,
    basePath: `/app/${id}`,
    apiPath: `/api/${id}`,
    signal: controller.signal,
    session,
    events,
    can: (permission) => session.get().permissions.includes(permission),
    onEvent: (topic, listener) => disposer.add(events.subscribe(topic, listener)),
    addCommand: (command) => disposer.add(commands.add(command)),
    setBadge: (count) => (badge = count),
    onDispose: (dispose) => void disposer.add(dispose),
  };
  const dispose = await definition.activate?.(context);
  if (dispose) disposer.add(dispose);

  let location = "";
  function Probe() {
    const { pathname, search } = useLocation();
    location = pathname + search;
    return null;
  }

  const pages = definition.routes?.map(toRoute);
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const result = await act(async () =>
    render(
      <SessionProvider value={session}>
        <CommandProvider value={commands}>
          <EventProvider value={events}>
            <LeaveGuardProvider
              value={{ add: (guard) => (guards.add(guard), () => guards.delete(guard)) }}
            >
              <MemoryRouter initialEntries={[options.at ?? `/app/${id}`]}>
                <Probe />
                <div data-plugin={id}>
                  <PluginProvider value={context}>
                    <QueryClientProvider client={queries}>
                      <Suspense fallback="Loading">
                        <Routes>
                          <Route path={`/app/${id}`}>{pages}</Route>
                        </Routes>
                      </Suspense>
                    </QueryClientProvider>
                  </PluginProvider>
                </div>
                <Toaster />
              </MemoryRouter>
            </LeaveGuardProvider>
          </EventProvider>
        </CommandProvider>
      </SessionProvider>,
    ),
  );

  return {
    ...result,
    context,
    commands,
    badge: () => badge,
    location: () => location,
    async mayLeave() {
      for (const guard of [...guards]) if (!(await guard())) return false;
      return true;
    },
    emit(topic, data) {
      act(() => {
        for (const listener of [...(listeners.get(topic) ?? [])])
          listener({ topic, id: "1", data });
      });
    },
    disable() {
      controller.abort();
      result.unmount();
      const [error] = disposer.dispose();
      if (error) throw error;
    },
  };
}
