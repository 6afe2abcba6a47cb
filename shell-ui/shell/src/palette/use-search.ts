import { useStore, type SearchHit } from "@tenon/host";
import { useEffect, useState } from "react";
import { useServices, type Services } from "../services.ts";

export interface ResultGroup {
  key: string;
  /** Id of the plugin that found them. */
  plugin: string;
  title: string;
  icon?: string;
  hits: readonly SearchHit[];
}

const pause = 120;
const shortest = 2;

async function ask(
  { runtime }: Services,
  plugin: string,
  source: string,
  query: string,
  signal: AbortSignal,
): Promise<readonly SearchHit[]> {
  const { definition, context } = await runtime.start(plugin);
  return (await definition.contributions?.search?.[source]?.(query, { signal, context })) ?? [];
}

export interface SearchResults {
  /** The text of `groups`: an earlier one until the first source has responded. */
  query: string;
  groups: readonly ResultGroup[];
}

const nothing: SearchResults = { query: "", groups: [] };

/** Returns the results of the plugins, each as soon as it has responded. Plugins that fail are left out. */
export function useSearch(query: string): SearchResults & { busy: boolean } {
  const services = useServices();
  const { plugins } = useStore(services.registry.store);
  const [results, setResults] = useState(nothing);
  const [waiting, setWaiting] = useState(0);
  const wanted = query.trim().length >= shortest ? query.trim() : "";

  useEffect(() => {
    const abort = new AbortController();
    const timer = setTimeout(
      () => {
        if (!wanted) {
          setResults(nothing);
          return;
        }
        const found = new Map<string, ResultGroup>();
        const sources = plugins.flatMap((plugin) =>
          (plugin.contributions?.search ?? []).map((source) => ({ plugin, source })),
        );
        setWaiting(sources.length);
        if (sources.length === 0) setResults(nothing);
        for (const { plugin, source } of sources) {
          const key = `${plugin.id}:${source.id}`;
          void ask(services, plugin.id, source.id, wanted, abort.signal)
            .catch(() => [])
            .then((hits) => {
              if (abort.signal.aborted) return;
              if (hits.length > 0) {
                found.set(key, {
                  key,
                  plugin: plugin.id,
                  title: source.title,
                  icon: plugin.navigation?.[0]?.icon,
                  hits,
                });
              }
              setWaiting((count) => count - 1);
              setResults({ query: wanted, groups: [...found.values()] });
            });
        }
      },
      wanted ? pause : 0,
    );
    return () => {
      clearTimeout(timer);
      abort.abort();
      setWaiting(0);
    };
  }, [services, plugins, wanted]);

  return { ...results, busy: waiting > 0 };
}
