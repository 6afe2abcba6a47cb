import { usePluginIfAny } from "@tenon/host";

/** The dialog that is open, for all else is out of reach then; the root of the plugin around the component; the page's body in the shell. */
export function usePortalContainer(): Element | undefined {
  const plugin = usePluginIfAny();
  const dialog = [...document.querySelectorAll("dialog[open]")].at(-1);
  if (dialog) return dialog;
  if (!plugin) return undefined;
  return document.querySelector(`[data-plugin="${plugin.id}"]`) ?? undefined;
}
