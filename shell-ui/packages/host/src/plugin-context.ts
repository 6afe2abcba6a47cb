import { createContext, use } from "react";
import type { PluginContext } from "./contract.ts";

const Context = createContext<PluginContext | null>(null);
export const PluginProvider = Context.Provider;

/** The plugin that the component belongs to. */
export function usePlugin(): PluginContext {
  const plugin = use(Context);
  if (!plugin) throw new Error("usePlugin() outside of a plugin's page");
  return plugin;
}

/** As `usePlugin`, `null` in the shell's own pages. */
export function usePluginIfAny(): PluginContext | null {
  return use(Context);
}
