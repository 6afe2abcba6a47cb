/** How long a test waits for anything before it fails, in milliseconds: long enough for a machine that is busy with other work. */
export const waitTimeout = 60_000;

/**
 * Waits until `read` returns the wanted value, or one for which `wanted` returns true.
 * @template T
 * @param {() => T | Promise<T>} read
 * @param {T | ((value: T) => boolean)} wanted
 * @returns {Promise<T>}
 */
export async function eventually(read, wanted) {
  const end = Date.now() + waitTimeout;
  for (;;) {
    const last = await read();
    const isTrue =
      typeof wanted === "function" ? /** @type {any} */ (wanted)(last) : wanted === last;
    if (isTrue) return last;
    if (Date.now() > end) throw new Error(`still ${JSON.stringify(last)}, not ${String(wanted)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
