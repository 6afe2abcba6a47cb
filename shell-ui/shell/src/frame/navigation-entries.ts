import { useSession, useStore, type NavigationEntry, type ShellPlugin } from "@tenon/host";
import { useServices } from "../services.ts";

export interface PluginEntry extends NavigationEntry {
  plugin: ShellPlugin;
}

/** What the active plugins put in the side bar, as far as the user may go there. */
export function useNavigationEntries(): readonly PluginEntry[] {
  const { registry } = useServices();
  const { plugins } = useStore(registry.store);
  const { permissions } = useSession();
  return plugins.flatMap((plugin) =>
    (plugin.navigation ?? [])
      .filter(({ permission }) => !permission || permissions.includes(permission))
      .map((entry) => ({ ...entry, plugin })),
  );
}
