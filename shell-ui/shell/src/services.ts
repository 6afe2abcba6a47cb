import {
  createCommandRegistry,
  createStore,
  signedOut,
  type CommandRegistry,
  type ServerEvent,
  type Session,
  type Store,
} from "@tenon/host";
import { coreApi, onProblem } from "@tenon/ui/frame";
import { createContext, use } from "react";
import type { BootData, SessionResponse, ShellResponse } from "./boot.ts";
import type { BuildReport } from "./development/build-overlay.tsx";
import type { DevelopmentEvent } from "./development/switch-user.ts";
import { createConnection, type Connection } from "./live/connection.ts";
import { createEventStream, type LiveStream } from "./live/event-stream.ts";
import { retryFailures } from "./navigation/failures.ts";
import { createHistory, type AppHistory } from "./navigation/history.ts";
import { createPluginRegistry, type PluginEvent, type PluginRegistry } from "./plugins/registry.ts";
import {
  createPluginRuntime,
  type PluginRuntime,
  type RuntimeServices,
} from "./plugins/runtime.ts";

/** Why the host ended a session. */
export type SessionEnd = "signed_out" | "disabled";

export interface Services {
  readonly name: Store<string>;
  readonly session: Store<Session>;
  /** Set while no account exists. */
  readonly setup: Store<boolean>;
  readonly sessionEnd: Store<SessionEnd | null>;
  /** Holds the failure that `tenon dev` reports; null also on any other server. */
  readonly report: Store<BuildReport | null>;
  readonly history: AppHistory;
  readonly events: LiveStream;
  readonly connection: Connection;
  readonly commands: CommandRegistry;
  readonly registry: PluginRegistry;
  readonly runtime: PluginRuntime;
  /** Takes a session that began: after signing in, and after set-up. */
  signedIn(response: SessionResponse): Promise<void>;
  signOut(): Promise<void>;
  /** Reads again what the shell shows. */
  refresh(): Promise<void>;
}

/** Before an event is applied, shows the new build in the open pages, which then need not be replaced. */
function refreshFirst(
  runtime: PluginRuntime,
  registry: PluginRegistry,
): (event: ServerEvent) => void {
  let last = Promise.resolve();
  return ({ data }) => {
    const event = data as PluginEvent;
    last = last
      .then(() => event.plugin && runtime.refresh?.(event.plugin))
      .catch(console.error)
      .then(() => registry.apply(event));
  };
}

export function createServices(
  boot: BootData,
  loading: Pick<RuntimeServices, "load" | "style" | "fetchStyle"> = {},
): Services {
  const signedInAs = ({ user, permissions, groups }: SessionResponse): Session => ({
    status: "signed-in",
    user,
    permissions,
    groups,
  });
  const name = createStore(boot.name);
  const session = createStore<Session>(boot.session ? signedInAs(boot.session) : signedOut);
  const setup = createStore(boot.setup);
  const sessionEnd = createStore<SessionEnd | null>(null);
  const report = createStore<BuildReport | null>(boot.report ?? null);
  const history = createHistory();
  const events = createEventStream({ newest: boot.snapshot });
  const connection = createConnection(events);
  const commands = createCommandRegistry();
  const registry = createPluginRegistry(boot.shell?.plugins ?? []);
  const runtime = createPluginRuntime({ registry, session, events, commands, ...loading });

  function take(shell: ShellResponse): void {
    name.set(shell.name);
    session.set(signedInAs(shell));
    registry.replace(shell.plugins);
  }

  async function refresh(): Promise<void> {
    take(await coreApi.get<ShellResponse>("shell"));
  }

  function end(reason: SessionEnd): void {
    if (session.get().status !== "signed-in") return;
    sessionEnd.set(reason);
    session.set((before) => ({ ...before, status: "ended" }));
    events.stop();
  }

  onProblem(({ status, code }) => {
    if (status === 401 && code !== "identity.wrong_credentials") end("signed_out");
    // An event was missed: the list of plugins is old.
    if (code === "plugins.not_active") void refresh().catch(() => undefined);
  });
  if (import.meta.env.TENON_DEVELOPMENT)
    events.subscribe("core.plugins", refreshFirst(runtime, registry));
  else events.subscribe("core.plugins", ({ data }) => registry.apply(data as PluginEvent));
  if (boot.report !== undefined) {
    // The plugin was loaded again.
    events.subscribe("core.plugins", () =>
      report.set((before) => (before?.isRuntime ? null : before)),
    );
    events.subscribe("core.development", ({ data }) => {
      const event = data as DevelopmentEvent;
      if (event && "sign_in" in event)
        void import("./development/switch-user.ts").then(({ switchUser }) =>
          switchUser(event.sign_in),
        );
      else if (event && "open" in event) history.push(event.open);
      else if (event && "error" in event)
        void import("./development/runtime-error.ts").then(({ withError }) =>
          report.set((before) => withError(before, event.error)),
        );
      else report.set(event);
    });
  }
  events.subscribe("core.session", ({ data }) =>
    end((data as { reason?: SessionEnd }).reason ?? "signed_out"),
  );
  // A restarted server may have sent as many events as before, about other plugins.
  let wasLost = false;
  events.onOpen((missed) => {
    if (missed || wasLost) void refresh().catch(() => undefined);
    wasLost = false;
  });
  connection.onReturn(retryFailures);
  // A refused connection says no reason: any request does.
  events.status.subscribe(() => {
    const status = events.status.get();
    if (status === "lost") wasLost = true;
    if (status === "refused") void refresh().catch(() => undefined);
  });

  return {
    name,
    session,
    setup,
    sessionEnd,
    report,
    history,
    events,
    connection,
    commands,
    registry,
    runtime,
    refresh,
    async signedIn(response) {
      const before = session.get().user;
      // Nothing of another person may stay in memory.
      if (before && before.id !== response.user.id) {
        location.assign("/");
        return;
      }
      await refresh();
      setup.set(false);
      sessionEnd.set(null);
      events.start();
    },
    async signOut() {
      // The host notifies all tabs of the session; this one knows.
      events.stop();
      await coreApi.delete("session").catch(() => undefined);
      location.assign("/");
    },
  };
}

const ServicesContext = createContext<Services | null>(null);
export const ServicesProvider = ServicesContext.Provider;

export function useServices(): Services {
  const services = use(ServicesContext);
  if (!services) throw new Error("no services");
  return services;
}
