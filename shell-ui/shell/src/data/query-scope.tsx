import { QueryClient, QueryClientProvider, type Query } from "@tanstack/react-query";
import { Problem } from "@tenon/ui";
import type { ReactNode } from "react";
import { onRetry } from "../navigation/failures.ts";

const maxRetries = 3;

function mayHelp(failures: number, error: unknown): boolean {
  return (
    failures < maxRetries &&
    error instanceof Problem &&
    (error.status === 0 || error.status === 503 || error.status === 429)
  );
}

function pause(failures: number, error: unknown): number {
  const delay = error instanceof Problem ? error.retryAfter : undefined;
  return delay ? delay * 1_000 : 400 * 2 ** failures;
}

/** The query cache of the shell's pages and of all plugins. A plugin's keys begin with its id. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // An error says that the server is away; waiting in silence says nothing.
      networkMode: "always",
      retry: mayHelp,
      retryDelay: pause,
      staleTime: 5_000,
    },
    mutations: { networkMode: "always" },
  },
});

// Refetches the queries on the page that failed.
onRetry(() => {
  const hasFailed = ({ state }: Query) => state.status === "error";
  void queryClient.refetchQueries(
    { type: "active", predicate: hasFailed },
    { cancelRefetch: false },
  );
});

export function QueryScope({ children }: { children: ReactNode }) {
  return <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>;
}
