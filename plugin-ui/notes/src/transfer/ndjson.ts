/** Maximum length of a line, characters: a note's text as JSON, with a margin. */
const maxLength = 8_000_000;

/** The values of a stream with one JSON value a line. */
export async function* readLines(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<unknown> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  // Pieces of a line that has not ended.
  let parts: string[] = [];
  let length = 0;
  const abort = () => void reader.cancel(signal.reason).catch(() => undefined);
  signal.addEventListener("abort", abort, { once: true });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      const text = done ? decoder.decode() : decoder.decode(value, { stream: true });
      let start = 0;
      for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
        const line = parts.join("") + text.slice(start, end);
        parts = [];
        length = 0;
        start = end + 1;
        if (line.trim() !== "") yield JSON.parse(line) as unknown;
      }
      parts.push(text.slice(start));
      length += text.length - start;
      if (length > maxLength) throw new Error("a line of the response is too long");
      if (done) break;
    }
    const rest = parts.join("");
    if (rest.trim() !== "") yield JSON.parse(rest) as unknown;
  } finally {
    signal.removeEventListener("abort", abort);
    await reader.cancel().catch(() => undefined);
  }
}
