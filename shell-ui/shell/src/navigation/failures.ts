const forgetters = new Set<() => void>();
const retryListeners = new Set<(hasFailed: boolean) => void>();

/**
 * A promise that failed is kept, for React asks for it again while it renders the error; it is dropped when a person tries again,
 * goes elsewhere, or the connection returns.
 */
export function rememberFailure(forget: () => void): void {
  forgetters.add(forget);
}

export function forgetFailures(): void {
  for (const forget of forgetters) forget();
  forgetters.clear();
}

/** Runs when what failed may be tried again. `hasFailed`: code is among it; other crashes do not end by themselves. */
export function onRetry(listener: (hasFailed: boolean) => void): () => void {
  retryListeners.add(listener);
  return () => retryListeners.delete(listener);
}

/** Tries again what failed to load. */
export function retryFailures(): void {
  const hasFailed = forgetters.size > 0;
  forgetFailures();
  for (const listener of [...retryListeners]) listener(hasFailed);
}
