const forgetters = new Set<() => void>();
const retryListeners = new Set<() => void>();

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

/** Runs when what failed to load can be loaded again. */
export function onRetry(listener: () => void): () => void {
  retryListeners.add(listener);
  return () => retryListeners.delete(listener);
}

/** Loads again what failed to load, if anything did. A page that crashed for another reason stays as it is. */
export function retryFailures(): void {
  if (forgetters.size === 0) return;
  forgetFailures();
  for (const listener of [...retryListeners]) listener();
}
