import { InfiniteQueryObserver, QueryClient, QueryObserver } from "@tanstack/react-query";
import { expect, it } from "vitest";
import { refetchFresh } from "../src/index.ts";

/** A list that is shown, whose fetches the test resolves. */
function looked() {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const readings: { resolve(text: string): void; reject(error: Error): void }[] = [];
  const observer = new QueryObserver(client, {
    queryKey: ["notes", "list"],
    queryFn: () =>
      new Promise<string>((resolve, reject) => void readings.push({ resolve, reject })),
  });
  observer.subscribe(() => undefined);
  return { client, readings, shown: () => observer.getCurrentResult().data };
}

it("refetches after a read that started too early", async () => {
  const { client, readings, shown } = looked();
  const done = refetchFresh(client, { queryKey: ["notes"] });
  readings[0]?.resolve("old");
  await expect.poll(() => readings.length).toBe(2);
  expect(shown()).toBe("old");
  readings[1]?.resolve("new");
  await done;
  expect(shown()).toBe("new");
  expect(readings.length).toBe(2);
});

it("refetches after a failed read", async () => {
  const { client, readings, shown } = looked();
  const done = refetchFresh(client, { queryKey: ["notes"] });
  readings[0]?.reject(new Error("lost"));
  await expect.poll(() => readings.length).toBe(2);
  readings[1]?.resolve("new");
  await done;
  expect(shown()).toBe("new");
});

it("refetches what was already loaded", async () => {
  const { client, readings, shown } = looked();
  readings[0]?.resolve("first");
  await expect.poll(shown).toBe("first");
  const done = refetchFresh(client, { queryKey: ["notes"] });
  expect(readings.length).toBe(2);
  readings[1]?.resolve("second");
  await done;
  expect(shown()).toBe("second");
  expect(readings.length).toBe(2);
});

it("keeps a pending page, then refetches all", async () => {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const readings: { page: number; resolve(text: string): void }[] = [];
  const observer = new InfiniteQueryObserver(client, {
    queryKey: ["jobs"],
    queryFn: ({ pageParam }) =>
      new Promise<string>((resolve) => void readings.push({ page: pageParam, resolve })),
    initialPageParam: 1,
    getNextPageParam: (_page, _pages, last) => last + 1,
  });
  observer.subscribe(() => undefined);
  const resolveFetch = async (index: number, text: string) => {
    await expect.poll(() => readings.length).toBeGreaterThan(index);
    readings[index]?.resolve(text);
  };
  const shown = () => observer.getCurrentResult().data?.pages.join();
  await resolveFetch(0, "a");
  await expect.poll(shown).toBe("a");
  const more = observer.fetchNextPage();
  const done = refetchFresh(client, { queryKey: ["jobs"] });
  await resolveFetch(1, "b");
  await more;
  expect(shown()).toBe("a,b");
  await resolveFetch(2, "A");
  await resolveFetch(3, "B");
  await done;
  expect(shown()).toBe("A,B");
  expect(readings.map(({ page }) => page)).toEqual([1, 2, 1, 2]);
});
