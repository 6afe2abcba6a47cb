import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useServerEvent } from "@tenon/host";
import { errorMessage, Problem, refetchFresh, toast, type ListPage } from "@tenon/ui";
import {
  pluginsKey,
  readPlugins,
  switchPlugin,
  switchPublicPath,
  type PluginRecord,
} from "../console-api.ts";

// No event reports the progress of a migration.
const pollEvery = 1_000;

const isOnItsWay = ({ migration, enabled, state }: PluginRecord) =>
  migration !== null || (enabled && (state === "resolved" || state === "loaded"));

/** All plugins, read again whenever one changes its state, and while the data of one is migrated. */
export function usePlugins() {
  const queries = useQueryClient();
  const changed = () => void refetchFresh(queries, { queryKey: pluginsKey });
  useServerEvent("core.plugins", changed, { onMissed: changed });
  return useQuery({
    queryKey: pluginsKey,
    queryFn: ({ signal }) => readPlugins(signal),
    refetchInterval: ({ state }) => (state.data?.items.some(isOnItsWay) ? pollEvery : false),
  });
}

/** Dismisses the note of a plugin that is active. */
export function useDismissNote() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (plugin: PluginRecord) => switchPlugin(plugin.id, true),
    onError: (error) => toast(errorMessage(error), { tone: "danger" }),
    onSettled: () => queries.invalidateQueries({ queryKey: pluginsKey }),
  });
}

/** Serves a plugin at a short path, or no longer. */
export function useSwitchPublicPath() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ plugin, path, on }: { plugin: PluginRecord; path: string; on: boolean }) =>
      switchPublicPath(plugin.id, path, on),
    onSuccess: (_, { plugin, path, on }) =>
      toast(`${plugin.name} is ${on ? "served" : "no longer served"} at ${path}`),
    onError: (error) => toast(errorMessage(error), { tone: "danger" }),
    onSettled: () => queries.invalidateQueries({ queryKey: pluginsKey }),
  });
}

/** Switches a plugin on or off at once, with Undo. */
export function useSwitchPlugin() {
  const queries = useQueryClient();
  const mutation = useMutation({
    mutationFn: ({ plugin, on }: { plugin: PluginRecord; on: boolean }) =>
      switchPlugin(plugin.id, on),
    onSuccess(record, { on, plugin }) {
      queries.setQueryData<ListPage<PluginRecord>>(
        pluginsKey,
        (page) =>
          page && {
            ...page,
            items: page.items.map((other) =>
              other.id === record.id ? { ...other, ...record } : other,
            ),
          },
      );
      if (record.state === "failed") return;
      toast(`${plugin.name} ${on ? "enabled" : "disabled"}`, {
        action: { label: "Undo", run: () => mutation.mutate({ plugin, on: !on }) },
      });
    },
    onError(error, { plugin, on }) {
      const why = error instanceof Problem ? error.message : "";
      toast(`Could not ${on ? "enable" : "disable"} ${plugin.name}. ${why}`, {
        tone: "danger",
      });
    },
    onSettled: () => queries.invalidateQueries({ queryKey: pluginsKey }),
  });
  return mutation;
}
