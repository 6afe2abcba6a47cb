import { usePluginIfAny } from "@tenon/host";
import { createClient, type Client } from "./client.ts";

const clients = new Map<string, Client>();

/** The client for a base path; the same object for the same path. */
export function clientFor(base: string): Client {
  let client = clients.get(base);
  if (!client) clients.set(base, (client = createClient(base)));
  return client;
}

/** The console's own API. */
export const coreApi = clientFor("/api/core");

/** The client of the plugin around the component: `get("notes")` asks `/api/<plugin>/notes`. */
export function useApi(): Client {
  const plugin = usePluginIfAny();
  return plugin ? clientFor(plugin.apiPath) : coreApi;
}
