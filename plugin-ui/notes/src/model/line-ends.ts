export type LineEnd = "\n" | "\r\n";

/** The line end that most lines of a text have. */
export function lineEndOf(text: string): LineEnd {
  const both = text.split("\r\n").length - 1;
  const all = text.split("\n").length - 1;
  return both > all / 2 ? "\r\n" : "\n";
}

/** The lines of a text, whatever they end with. A line end at the end makes the last line an empty one. */
export function linesOf(text: string): string[] {
  return text.split(/\r\n?|\n/);
}
