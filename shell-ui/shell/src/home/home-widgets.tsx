import { useStore, type PageModule, type ShellPlugin, type WidgetEntry } from "@tenon/host";
import { Button, Card, errorMessage, SkeletonRows } from "@tenon/ui";
import { Suspense, use } from "react";
import { ErrorBoundary } from "../frame/page-boundary.tsx";
import { rememberFailure } from "../navigation/failures.ts";
import { readable } from "../navigation/readable.ts";
import { PluginScope } from "../plugins/plugin-scope.tsx";
import { useServices, type Services } from "../services.ts";

const modules = new Map<string, Promise<PageModule>>();

async function load({ runtime }: Services, plugin: string, widget: string): Promise<PageModule> {
  const { definition } = await runtime.start(plugin);
  const source = definition.contributions?.["home.widgets"]?.[widget];
  if (!source) throw new Error(`${plugin} declares the widget "${widget}" but has no code for it`);
  return source();
}

function widgetModule(
  services: Services,
  plugin: ShellPlugin,
  widget: string,
): Promise<PageModule> {
  const key = `${plugin.id} ${plugin.generation} ${widget}`;
  let pending = modules.get(key);
  if (!pending) {
    modules.set(key, (pending = readable(load(services, plugin.id, widget))));
    pending.catch(() => rememberFailure(() => modules.delete(key)));
  }
  return pending;
}

/** What plugins put on the home page. */
export default function HomeWidgets() {
  const { plugins } = useStore(useServices().registry.store);
  return (
    <div className="shell-widgets">
      {plugins.flatMap((plugin) =>
        (plugin.contributions?.["home.widgets"] ?? []).map((widget) => (
          <Widget key={`${plugin.id}:${widget.id}`} plugin={plugin} widget={widget} />
        )),
      )}
    </div>
  );
}

function Widget({ plugin, widget }: { plugin: ShellPlugin; widget: WidgetEntry }) {
  return (
    <section className="t-section" aria-label={widget.title}>
      <h2>{widget.title}</h2>
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
            <WidgetBody plugin={plugin} widget={widget.id} />
          </Suspense>
        </ErrorBoundary>
      </Card>
    </section>
  );
}

function WidgetBody({ plugin, widget }: { plugin: ShellPlugin; widget: string }) {
  const services = useServices();
  const { default: Body } = use(widgetModule(services, plugin, widget));
  const running = use(services.runtime.startPage(plugin.id));
  return (
    <PluginScope key={running.start} running={running}>
      <Body />
    </PluginScope>
  );
}
