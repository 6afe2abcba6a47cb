import type { Dispose } from "./store.ts";

/** Collects what must end together. Ends in reverse order; one that throws does not stop the rest. */
export interface Disposer {
  readonly disposed: boolean;
  /** Runs `dispose` at the end, or now when the end is past. */
  add(dispose: Dispose): Dispose;
  /** Returns what the parts threw. */
  dispose(): unknown[];
}

export function createDisposer(): Disposer {
  const parts = new Set<Dispose>();
  let disposed = false;
  return {
    get disposed() {
      return disposed;
    },
    add(dispose) {
      if (disposed) {
        dispose();
        return () => undefined;
      }
      const once = () => {
        if (parts.delete(once)) dispose();
      };
      parts.add(once);
      return once;
    },
    dispose() {
      disposed = true;
      const errors: unknown[] = [];
      for (const part of [...parts].reverse()) {
        try {
          part();
        } catch (error) {
          errors.push(error);
        }
      }
      return errors;
    },
  };
}
