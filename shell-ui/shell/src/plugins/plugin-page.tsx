import { AssetError, ExtensionProvider, useStore, useUser } from "@tenon/host";
import { clientFor, EmptyState, ErrorState, LinkButton, PageHeader, Problem } from "@tenon/ui";
import { DatabaseZap, PlugZap, SearchX } from "lucide-react";
import { Suspense, use, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useLocation, useParams } from "react-router";
import "../plugin-update/dirty-fields.ts";
import { extensions } from "../contributions/extensions.tsx";
import { queryClient } from "../data/query-scope.tsx";
import type { UpdateBannerProps } from "../plugin-update/update-banner.tsx";
import { rememberScroll } from "../plugin-update/restore-scroll.ts";
import { NotFound } from "../frame/not-found.tsx";
import { ErrorBoundary } from "../frame/page-boundary.tsx";
import { lazyPage } from "../navigation/lazy-page.tsx";
import { useServices } from "../services.ts";
import { PluginRoutes, preloadRoutes } from "./plugin-routes.tsx";
import { PluginScope } from "./plugin-scope.tsx";
import type { GonePlugin } from "./registry.ts";

const UpdateBanner = lazyPage<UpdateBannerProps>(
  () => import("../plugin-update/update-banner.tsx"),
  { stays: true },
);

/** `/app/<plugin>/…`: the plugin's page, or why there is none. */
export default function PluginPage() {
  const { plugin: id = "" } = useParams();
  const { registry, runtime } = useServices();
  const { key } = useLocation();
  const active = useStore(registry.store, ({ plugins }) =>
    plugins.find((other) => other.id === id),
  );
  const left = useStore(registry.store, (state) => state.gone[id]);
  const now = useMemo(() => ({ plugin: active, gone: left }), [active, left]);
  // A new module is shown when it has loaded; a removed one disappears at once.
  const later = useDeferredValue(now);
  const { plugin, gone } = active ? later : now;
  const outdated = useStore(runtime.outdated, (ids) => ids.includes(id));

  const root = useRef<HTMLDivElement>(null);
  const [isSwapping, setSwapping] = useState(false);

  // The old module ends before the new one starts; if both are quick, nothing is painted in between.
  const swap = async () => {
    const restoreScroll = root.current && rememberScroll(root.current);
    flushSync(() => setSwapping(true));
    runtime.restart(id);
    queryClient.removeQueries({ queryKey: [id] });
    await runtime.startPage(id).then(
      ({ definition }) => preloadRoutes(definition, location.pathname),
      () => undefined,
    );
    flushSync(() => setSwapping(false));
    restoreScroll?.();
  };

  if (!plugin) return <Away key={id} id={id} gone={gone} />;
  return (
    <div className="shell-plugin" ref={root}>
      {/* It is there before it says something, or screen readers would not follow it. */}
      <div role="status">
        <ErrorBoundary resetKey={key} fallback={() => null}>
          <Suspense>
            {outdated && active && <UpdateBanner plugin={active} root={root} swap={swap} />}
          </Suspense>
        </ErrorBoundary>
      </div>
      {!isSwapping && (
        <ErrorBoundary
          resetKey={`${key} ${plugin.generation}`}
          fallback={(error, retry) => (
            <Crashed
              name={plugin.name}
              error={error}
              retry={() => {
                if (outdated) runtime.restart(id);
                retry();
              }}
            />
          )}
        >
          <Running id={id} generation={plugin.generation} />
        </ErrorBoundary>
      )}
    </div>
  );
}

function Running({ id }: { id: string; generation: number }) {
  const running = use(useServices().runtime.startPage(id));
  return (
    <PluginScope key={running.start} running={running}>
      <ExtensionProvider value={extensions}>
        <PluginRoutes definition={running.definition} notFound={<NotFound />} />
      </ExtensionProvider>
    </PluginScope>
  );
}

function Crashed({ name, error, retry }: { name: string; error: unknown; retry(): void }) {
  const notLoaded = error instanceof AssetError;
  return (
    <>
      <PageHeader title={name} />
      <ErrorState
        error={error}
        title={notLoaded ? `Could not load ${name}` : `Something went wrong in ${name}`}
        onRetry={retry}
        action={<LinkButton to="/">Go home</LinkButton>}
      >
        {notLoaded
          ? undefined
          : "This page stopped working. Saved data is safe, and the rest of the app still works."}
      </ErrorState>
    </>
  );
}

function WayOut() {
  const isAdmin = useUser().role === "admin";
  return (
    <>
      <LinkButton to="/">Go home</LinkButton>
      {isAdmin && <LinkButton to="/settings/plugins">Open plugins</LinkButton>}
    </>
  );
}

const goneTexts: Readonly<Record<string, { title: string; text: string }>> = {
  failed: {
    title: "failed to start",
    text: "Ask an admin to check the plugin. Your data was not changed.",
  },
  removed: {
    title: "was removed",
    text: "An admin removed this plugin. This page opens automatically if the plugin is installed again.",
  },
  quarantined: { title: "was stopped", text: "The plugin failed. Ask an admin to check it." },
};

function Gone({ plugin }: { plugin: GonePlugin }) {
  const { title, text } = goneTexts[plugin.state] ?? {
    title: "is disabled",
    text: "An admin disabled this plugin. Its data is kept, and this page opens automatically when the plugin is enabled again.",
  };
  return (
    <>
      <PageHeader title={plugin.name} />
      <EmptyState icon={PlugZap} title={`${plugin.name} ${title}`} action={<WayOut />}>
        {text}
      </EmptyState>
    </>
  );
}

/** Milliseconds between two questions: while data is migrated, and whether it is by now. */
const pauses = { migrating: 5_000, no: 30_000 };

/**
 * Whether the plugin is away because its data is migrated. That begins without an event: one that was here is asked
 * about again.
 */
function useMigrating(id: string, gone: GonePlugin | undefined): "asking" | "migrating" | "no" {
  const [state, setState] = useState<"asking" | "migrating" | "no">("asking");
  useEffect(() => {
    const stop = new AbortController();
    let timer = 0;
    const take = (now: "migrating" | "no", isFinal = false) => {
      setState(now);
      if (!isFinal) timer = window.setTimeout(() => void ask(now), pauses[now]);
    };
    const ask = async (before: "migrating" | "no") => {
      try {
        await clientFor(`/api/${encodeURIComponent(id)}`).get("", { signal: stop.signal });
        take("no", true);
      } catch (error) {
        if (stop.signal.aborted) return;
        const { status, code } = error instanceof Problem ? error : { status: 500, code: "" };
        if (code === "plugins.migrating") take("migrating");
        // A server that says nothing of it now leaves it as it was.
        else if (status === 0 || status >= 500) take(before);
        else take("no", !gone);
      }
    };
    void ask("no");
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [id, gone]);
  return state;
}

/** Why there is no page, as soon as that is known. */
function Away({ id, gone }: { id: string; gone: GonePlugin | undefined }) {
  const state = useMigrating(id, gone);
  if (state === "asking") return null;
  if (state === "migrating") return <Upgrading name={gone?.name ?? "This plugin"} />;
  return gone ? <Gone plugin={gone} /> : <Unknown />;
}

function Upgrading({ name }: { name: string }) {
  return (
    <>
      <PageHeader title="Upgrading" />
      <EmptyState icon={DatabaseZap} title={`${name} is being upgraded`} action={<WayOut />}>
        The plugin’s data is being migrated. This page opens automatically when it is done.
      </EmptyState>
    </>
  );
}

function Unknown() {
  return (
    <>
      <PageHeader title="Not found" />
      <EmptyState icon={SearchX} title="There is nothing at this address" action={<WayOut />}>
        The plugin of this page may be disabled, removed or not available to you. This page opens
        automatically when it is available.
      </EmptyState>
    </>
  );
}
