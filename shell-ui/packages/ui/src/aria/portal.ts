import { usePluginIfAny } from "@tenon/host";

/** The root of the plugin around the component; the page's body in the shell. */
export function usePortalContainer(): Element | undefined {
  const plugin = usePluginIfAny();
  if (!plugin) return undefined;
  return document.querySelector(`[data-plugin="${plugin.id}"]`) ?? undefined;
}
