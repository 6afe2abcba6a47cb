import type { ShellPlugin, SlotEntry, SlotModule } from "@tenon/host";
import { Button, Card, errorMessage, SkeletonRows } from "@tenon/ui";
import { createElement, Suspense, use, type ComponentType } from "react";
import { ErrorBoundary } from "../frame/page-boundary.tsx";
import { rememberFailure } from "../navigation/failures.ts";
import { readable } from "../navigation/readable.ts";
import { PluginScope } from "../plugins/plugin-scope.tsx";
import { useServices, type Services } from "../services.ts";

/** An extension point whose contributions are components: `home.widgets`, `notes.note.sidebar`. */
export type ComponentPoint = `${string}.${string}`;

const modules = new Map<string, Promise<SlotModule>>();

async function load(
  { runtime }: Services,
  plugin: string,
  point: ComponentPoint,
  id: string,
): Promise<SlotModule> {
  const { definition } = await runtime.start(plugin);
  const source = definition.contributions?.[point]?.[id];
  if (!source) throw new Error(`${plugin} declares "${id}" of ${point} but has no code for it`);
  return (source as () => Promise<SlotModule>)();
}

function moduleOf(
  services: Services,
  plugin: ShellPlugin,
  point: ComponentPoint,
  id: string,
): Promise<SlotModule> {
  const key = `${plugin.id} ${plugin.generation} ${point} ${id}`;
  let pending = modules.get(key);
  if (!pending) {
    modules.set(key, (pending = readable(load(services, plugin.id, point, id))));
    pending.catch(() => rememberFailure(() => modules.delete(key)));
  }
  return pending;
}

interface ContributionProps {
  point: ComponentPoint;
  plugin: ShellPlugin;
  entry: SlotEntry;
  props?: Readonly<Record<string, unknown>>;
}

/** A component of a plugin in a section with its title. If it throws, the section has a message, and the page remains. */
export function Contribution({ point, plugin, entry, props }: ContributionProps) {
  return (
    <section className="t-section" aria-label={entry.title}>
      {point === "account.panels" || point === "settings.panels" ? (
        <header>
          <h2>{entry.title}</h2>
        </header>
      ) : (
        <h2>{entry.title}</h2>
      )}
      <Card>
        <ErrorBoundary
          resetKey={String(plugin.generation)}
          fallback={(error, retry) => (
            <div className="t-row">
              <div className="t-row-main t-muted">{errorMessage(error)}</div>
              <Button size="small" onClick={retry}>
                Retry
              </Button>
            </div>
          )}
        >
          <Suspense fallback={<SkeletonRows count={3} />}>
            <Body point={point} plugin={plugin} entry={entry} props={props} />
          </Suspense>
        </ErrorBoundary>
      </Card>
    </section>
  );
}

function Body({ point, plugin, entry, props }: ContributionProps) {
  const services = useServices();
  const { default: Shown } = use(moduleOf(services, plugin, point, entry.id));
  const running = use(services.runtime.startPage(plugin.id));
  return (
    <PluginScope key={running.start} running={running}>
      {createElement(Shown as ComponentType<Readonly<Record<string, unknown>>>, props ?? {})}
    </PluginScope>
  );
}
