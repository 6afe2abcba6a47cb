import { AssetError, useStore, useUser } from "@tenon/host";
import { Button, EmptyState, ErrorState, LinkButton, Notice, PageHeader } from "@tenon/ui";
import { PlugZap, RefreshCw, SearchX } from "lucide-react";
import { use, useDeferredValue, useMemo } from "react";
import { useLocation, useParams } from "react-router";
import { NotFound } from "../frame/not-found.tsx";
import { ErrorBoundary } from "../frame/page-boundary.tsx";
import { useServices } from "../services.ts";
import { PluginRoutes } from "./plugin-routes.tsx";
import { PluginScope } from "./plugin-scope.tsx";
import type { GonePlugin } from "./registry.ts";

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
  // What comes is shown when it can be; what goes, goes at once.
  const later = useDeferredValue(now);
  const { plugin, gone } = active ? later : now;
  const outdated = useStore(runtime.outdated, (ids) => ids.includes(id));

  if (!plugin) return gone ? <Gone plugin={gone} /> : <Unknown />;
  return (
    <div className="shell-plugin">
      {outdated && (
        <div className="shell-plugin-notice">
          <Notice
            tone="info"
            icon={RefreshCw}
            action={
              <Button size="small" onClick={() => runtime.restart(id)}>
                Load the new version
              </Button>
            }
          >
            {plugin.name} was updated to {plugin.version}.
          </Notice>
        </div>
      )}
      <ErrorBoundary
        resetKey={`${key} ${plugin.generation}`}
        fallback={(error, retry) => <Crashed name={plugin.name} error={error} retry={retry} />}
      >
        <Running id={id} generation={plugin.generation} />
      </ErrorBoundary>
    </div>
  );
}

function Running({ id }: { id: string; generation: number }) {
  const running = use(useServices().runtime.start(id));
  return (
    <PluginScope key={running.start} running={running}>
      <PluginRoutes definition={running.definition} notFound={<NotFound />} />
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
        title={notLoaded ? `${name} could not be loaded` : `${name} ran into a problem`}
        onRetry={retry}
        action={<LinkButton to="/">Go home</LinkButton>}
      >
        {notLoaded
          ? "A file of it did not arrive whole. Try again in a moment."
          : "This page stopped; the rest of the app works. What was saved is safe."}
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
    title: "could not be started",
    text: "An admin can see why. Nothing of yours was changed.",
  },
  quarantined: { title: "was stopped", text: "It ran into a fault. An admin can see why." },
};

function Gone({ plugin }: { plugin: GonePlugin }) {
  const { title, text } = goneTexts[plugin.state] ?? {
    title: "is switched off",
    text: "An admin switched it off. Everything in it is kept, and this page comes back by itself when it is switched on again.",
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

function Unknown() {
  return (
    <>
      <PageHeader title="Not found" />
      <EmptyState icon={SearchX} title="There is nothing at this address" action={<WayOut />}>
        The plugin it belongs to is switched off, was removed, or is not for you. If it comes back,
        so does this page.
      </EmptyState>
    </>
  );
}
