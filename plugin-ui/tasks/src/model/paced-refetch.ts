import { useQueryClient, type QueryKey } from "@tanstack/react-query";
import { refetchFresh } from "@tenon/ui";
import { useEffect, useMemo } from "react";

/**
 * Reads again what changes: `pause` milliseconds after a change, one reading at a time. Changes that come together are
 * one reading; what comes during one is another.
 */
export function pacedReading(read: () => Promise<unknown>, pause: number) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isReading = false;
  let isOld = false;
  const run = async () => {
    [timer, isReading, isOld] = [undefined, true, false];
    await read();
    isReading = false;
    if (isOld) changed();
  };
  const changed = () => {
    isOld = true;
    if (!isReading) timer ??= setTimeout(() => void run(), pause);
  };
  return {
    changed,
    stop() {
      clearTimeout(timer);
      [timer, isOld] = [undefined, false];
    },
  };
}

/** Returns a function that marks the data under a key as old; it is read again at that pace. */
export function useReadAgain(queryKey: QueryKey, pause: number): () => void {
  const queries = useQueryClient();
  const reading = useMemo(
    () => pacedReading(() => refetchFresh(queries, { queryKey }), pause),
    [queries, queryKey, pause],
  );
  useEffect(() => reading.stop, [reading]);
  return reading.changed;
}
