import { PluginProvider } from "@tenon/host";
import { useEffect, type ReactNode } from "react";
import { queryClient, QueryScope } from "../data/query-scope.tsx";
import { useServices } from "../services.ts";
import type { RunningPlugin } from "./runtime.ts";

/** Around everything that a plugin renders: its styles, its context, the data that was fetched. */
export function PluginScope({
  running,
  children,
}: {
  running: RunningPlugin;
  children: ReactNode;
}) {
  const { runtime } = useServices();
  useEffect(
    () => runtime.onEnd((ended) => queryClient.removeQueries({ queryKey: [ended] })),
    [runtime],
  );
  return (
    <div data-plugin={running.plugin.id} className="shell-plugin-root">
      <PluginProvider value={running.context}>
        <QueryScope>{children}</QueryScope>
      </PluginProvider>
    </div>
  );
}
