import {
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { errorMessage, toast } from "@tenon/ui";
import { useEffect, useState } from "react";
import type { RegistryPick } from "../plugins/package-source.ts";
import {
  readRegistry,
  readRegistryPlugin,
  readUpgrades,
  refreshRegistry,
  registryKey,
  type RegistryPlugin,
  type RegistryShow,
  type RegistryStep,
} from "./registry-api.ts";

// The server reads the index by itself when it is old; who comes back to a page asks again.
const fresh = 60_000;

/** Returns the plugins of the registry, page by page. */
export function useRegistry(filter: { q: string; show: RegistryShow }) {
  return useInfiniteQuery({
    queryKey: [...registryKey, "list", filter],
    queryFn: ({ pageParam, signal }) => readRegistry({ ...filter, cursor: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    staleTime: fresh,
  });
}

export function useRegistryPlugin(id: string) {
  return useQuery({
    queryKey: [...registryKey, "plugin", id],
    queryFn: ({ signal }) => readRegistryPlugin(id, signal),
    staleTime: fresh,
  });
}

const none: ReadonlyMap<string, string> = new Map();

/** Returns newer versions of installed plugins, by id; none while they load, so that no page waits. */
export function useUpgrades(): ReadonlyMap<string, string> {
  const { data } = useQuery({
    queryKey: [...registryKey, "upgrades"],
    queryFn: ({ signal }) => readUpgrades(signal),
    staleTime: fresh,
    select: ({ items }) => new Map(items.map(({ id, installable }) => [id, installable ?? ""])),
  });
  return data ?? none;
}

/** Has the server read the registry now. */
export function useRefreshRegistry() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: refreshRegistry,
    onError: (error) => toast(errorMessage(error), { tone: "danger" }),
    onSettled: () => queries.invalidateQueries({ queryKey: registryKey }),
  });
}

const pause = 200;

/** Returns a text once it has not changed for a moment. */
export function useDebounced(text: string): string {
  const [debounced, setDebounced] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(text), pause);
    return () => clearTimeout(timer);
  }, [text]);
  return debounced;
}

/** What is installed for a version: what it requires first, itself last. */
export function queueOf(
  { id, name }: RegistryPlugin,
  version: string,
  before: readonly RegistryStep[],
): readonly RegistryPick[] {
  return [...before, { id, name, version }];
}

/** Returns whether only an unknown key blocks the installation; the user can trust it in the dialog. */
export const asksForTrust = (reasons: readonly { code: string }[]) =>
  reasons.length > 0 && reasons.every(({ code }) => code === "plugins.signer_unknown");
