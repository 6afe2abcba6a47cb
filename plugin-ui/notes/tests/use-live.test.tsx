import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createStore, EventProvider, type EventStream } from "@tenon/host";
import { renderHook } from "@testing-library/react";
import type { ReactNode } from "react";
import { expect, it, vi } from "vitest";
import { useLive } from "../src/app/use-live.ts";

it("refetches on first connect, then only after gaps", () => {
  let greet: (missed: boolean) => void = () => undefined;
  const stream: EventStream = {
    status: createStore("open"),
    subscribe: () => () => undefined,
    onOpen: (listener) => {
      greet = listener;
      return () => undefined;
    },
  };
  const client = new QueryClient();
  const read = vi.spyOn(client, "invalidateQueries");
  renderHook(() => useLive(), {
    wrapper: ({ children }: { children: ReactNode }) => (
      <QueryClientProvider client={client}>
        <EventProvider value={stream}>{children}</EventProvider>
      </QueryClientProvider>
    ),
  });
  expect(read).not.toHaveBeenCalled();
  greet(false);
  expect(read).toHaveBeenCalledTimes(1);
  greet(false);
  expect(read).toHaveBeenCalledTimes(1);
  greet(true);
  expect(read).toHaveBeenCalledTimes(2);
});
