type Tracked<T> = Promise<T> & { status?: string; value?: T; reason?: unknown };

/**
 * Notes on a promise how it ended, where React's `use` looks: one that has ended is read at once, without a fallback that React
 * would then hold for 300 ms.
 */
export function readable<T>(promise: Promise<T>): Promise<T> {
  const tracked = promise as Tracked<T>;
  tracked.status = "pending";
  tracked.then(
    (value) => {
      tracked.status = "fulfilled";
      tracked.value = value;
    },
    (reason: unknown) => {
      tracked.status = "rejected";
      tracked.reason = reason;
    },
  );
  return tracked;
}
