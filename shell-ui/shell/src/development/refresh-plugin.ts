import {
  addStylesheet,
  importModule,
  type PluginDefinition,
  type PluginRoute,
  type ShellPlugin,
} from "@tenon/host";
import { register } from "react-refresh/runtime";
import { queryClient } from "../data/query-scope.tsx";
import { lazyPages, preloadRoutes } from "../plugins/plugin-routes.tsx";
import type { RunningPlugin } from "../plugins/runtime.ts";

/** A page that loads on demand is the same page of the new module, so that it keeps its state. */
function joinPages(
  id: string,
  before: readonly PluginRoute[] = [],
  after: readonly PluginRoute[] = [],
): void {
  for (const route of after) {
    const same = before.find(({ path, index }) => path === route.path && index === route.index);
    if (!same) continue;
    const name = `${id}/${route.path ?? ""}`;
    for (const page of [lazyPages.get(same), lazyPages.get(route)])
      if (page) register(page, `${name} page`);
    joinPages(name, same.children, route.children);
  }
}

/**
 * Shows a new build of a plugin in its open pages, which keep their state: React takes the new form of each component, and
 * mounts those again whose hooks changed. Returns the plugin as it runs then, or null if its pages have to be replaced.
 */
export async function refreshPlugin(
  running: RunningPlugin,
  next: ShellPlugin,
): Promise<RunningPlugin | null> {
  const { id, module, integrity, preload = [], styles = [] } = next;
  const before = running.plugin;
  // The old module owns the work of activate().
  if (!module || !integrity || before.version !== next.version || running.definition.activate)
    return null;
  const old = (before.styles ?? []).filter(({ href }) => !styles.some((one) => one.href === href));
  const fresh = styles.filter(({ href }) => !before.styles?.some((one) => one.href === href));
  const links = await Promise.all(fresh.map((sheet) => addStylesheet(sheet)));
  const removeFresh = () => links.forEach((link) => link.remove());
  let definition: PluginDefinition;
  try {
    const loaded = await importModule<{ default: PluginDefinition }>(
      { href: module, integrity },
      preload,
      true,
    );
    definition = loaded.default;
    if (definition.id !== id || definition.activate) throw new TypeError("cannot be refreshed");
  } catch {
    removeFresh();
    return null;
  }
  await preloadRoutes(definition, location.pathname);
  joinPages(id, running.definition.routes, definition.routes);
  for (const { href } of old)
    document.querySelector(`link[rel=stylesheet][href="${href}"]`)?.remove();
  running.context.onDispose(removeFresh);
  // Its queries may ask for something else now.
  void queryClient.invalidateQueries({ queryKey: [id] });
  return { ...running, plugin: next, definition };
}
