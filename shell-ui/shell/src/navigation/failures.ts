const forgetters = new Set<() => void>();

/**
 * A promise that failed is kept, for React asks for it again while it renders the error; it is dropped when a person tries again
 * or goes elsewhere.
 */
export function rememberFailure(forget: () => void): void {
  forgetters.add(forget);
}

export function forgetFailures(): void {
  for (const forget of forgetters) forget();
  forgetters.clear();
}
