import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { coreApi } from "../client/use-api.ts";
import { errorMessage } from "../kit/feedback.tsx";
import { toast } from "../kit/toast.tsx";
import type { ChangeOptions, HookOptions } from "./hooks.ts";

/** `/api/core/plugins/{id}/settings` */
interface StoredSettings {
  schema: { properties?: Record<string, { default?: unknown }> } | null;
  values: Record<string, unknown>;
  secrets: readonly string[];
}

/** A change of settings: `null` restores the default, and what is missing stays. */
export type SettingsChange<T, S> = { [K in keyof T]?: T[K] | null } & {
  [K in keyof S]?: S[K] | null;
};

/** The settings of a plugin, for pages that admins see. All requests are refused (403) for others. */
export interface SettingsClient<T, S> {
  /** The values, with defaults; without secrets. */
  read(signal?: AbortSignal): Promise<T>;
  /** Returns all values after the change. Throws Problem 422 `plugins.settings_invalid` with the fields. */
  change(change: SettingsChange<T, S>): Promise<T>;
}

const path = (plugin: string) => `plugins/${plugin}/settings`;

function withDefaults<T>({ schema, values }: StoredSettings): T {
  const defaults = Object.entries(schema?.properties ?? {}).flatMap(([key, property]) =>
    property.default === undefined ? [] : [[key, property.default]],
  );
  return { ...Object.fromEntries(defaults), ...values } as T;
}

export function settingsClient<T, S>(plugin: string): SettingsClient<T, S> {
  const get = (signal?: AbortSignal) => coreApi.get<StoredSettings>(path(plugin), { signal });
  return {
    read: async (signal) => withDefaults(await get(signal)),
    async change(change) {
      // The request replaces all values; a secret that is missing keeps its own.
      const { values } = await get();
      const body = { values: { ...values, ...change } };
      return withDefaults(await coreApi.put<StoredSettings>(path(plugin), body));
    },
  };
}

export function settingsHooks<T, S>(plugin: string, client: SettingsClient<T, S>) {
  const queryKey = ["core", "plugins", plugin, "settings", "values"] as const;
  return {
    useSettings: ({ enabled = true }: HookOptions = {}) =>
      useQuery({ queryKey, queryFn: ({ signal }) => client.read(signal), enabled }),
    useSaveSettings({ quiet = false }: ChangeOptions = {}) {
      const queries = useQueryClient();
      return useMutation({
        mutationFn: (change: SettingsChange<T, S>) => client.change(change),
        onSuccess: (values) => queries.setQueryData(queryKey, values),
        onError: (error) => quiet || toast(errorMessage(error), { tone: "danger" }),
      });
    },
  };
}
