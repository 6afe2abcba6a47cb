import { useQuery } from "@tanstack/react-query";
import { coreApi, type ListPage } from "@tenon/ui";
import { useMemo } from "react";

interface Person {
  id: string;
  name: string;
}

const maxAsked = 100;

function useNameQuery(ids: readonly string[]) {
  const wanted = useMemo(() => [...new Set(ids)].sort(), [ids]);
  return useQuery({
    queryKey: ["tasks", "names", wanted],
    queryFn: async ({ signal }) => {
      const people: Person[] = [];
      for (let at = 0; at < wanted.length; at += maxAsked) {
        const query = { ids: wanted.slice(at, at + maxAsked).join(",") };
        people.push(...(await coreApi.get<ListPage<Person>>("people", { query, signal })).items);
      }
      return new Map(people.map(({ id, name }) => [id, name]));
    },
    enabled: wanted.length > 0,
    staleTime: 60_000,
    placeholderData: (before) => before,
  });
}

/** Names of people and groups by their ids. Not by `usePeople`: a board needs no React Aria. */
export function useNames(ids: readonly string[]): ReadonlyMap<string, string> {
  const { data } = useNameQuery(ids);
  return useMemo(() => data ?? new Map<string, string>(), [data]);
}

/** How to call who wrote something, also where that is not known or they are gone. */
export function useNaming(ids: readonly string[]): (id: string | null) => string {
  const { data, isPlaceholderData } = useNameQuery(ids);
  return (id) => {
    if (id === null) return "Someone";
    return data?.get(id) ?? (data && !isPlaceholderData ? "Someone" : "…");
  };
}
