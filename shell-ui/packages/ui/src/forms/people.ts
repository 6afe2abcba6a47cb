import { useQuery } from "@tanstack/react-query";
import { coreApi } from "../client/use-api.ts";
import type { ListPage } from "../client/client.ts";

/** A user or a group with the facts that every signed-in user may see. */
export interface Person {
  kind: "user" | "group";
  id: string;
  name: string;
}

const maxFound = 50;
const maxNamed = 100;
const fresh = 30_000;

/** Finds users and groups whose name, or a word of it, begins with `text`. */
export const findPeople = (text: string, kind: Person["kind"] | undefined, signal: AbortSignal) =>
  coreApi.get<ListPage<Person>>("people", { query: { q: text, kind, limit: maxFound }, signal });

async function readNamed(ids: readonly string[], signal: AbortSignal): Promise<readonly Person[]> {
  const people: Person[] = [];
  for (let at = 0; at < ids.length; at += maxNamed) {
    const query = { ids: ids.slice(at, at + maxNamed).join(",") };
    people.push(...(await coreApi.get<ListPage<Person>>("people", { query, signal })).items);
  }
  return people;
}

/**
 * Returns the users and groups with these ids, to show the names that a record refers to. Undefined while they load;
 * deleted ones are left out.
 */
export function usePeople(ids: readonly string[]): readonly Person[] | undefined {
  return useQuery({
    queryKey: ["core", "people", "named", ids],
    queryFn: ({ signal }) => readNamed(ids, signal),
    enabled: ids.length > 0,
    staleTime: fresh,
    placeholderData: (before) => before,
  }).data;
}
