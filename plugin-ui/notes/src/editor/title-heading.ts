import { StateEffect, StateField, type Text } from "@codemirror/state";
import { frontMatterLines, leadingHeading } from "../model/markdown-text.ts";

export const setTitle = StateEffect.define<string>();

/** The note's title, as the field above the text shows it. */
export const noteTitle = StateField.define<string>({
  create: () => "",
  update: (title, transaction) =>
    transaction.effects.reduce(
      (value, effect) => (effect.is(setTitle) ? effect.value : value),
      title,
    ),
});

const lineReader = (doc: Text) => (index: number) =>
  index < doc.lines ? doc.line(index + 1).text : null;

/** End of the front matter, 0 without one. */
export function frontMatterEnd(doc: Text): number {
  const lines = frontMatterLines(lineReader(doc));
  return lines === 0 ? 0 : doc.line(lines).to;
}

/** The heading line that says the same as the title: its text, without the marks. */
export function titleHeading(
  doc: Text,
  title: string,
): { from: number; to: number; line: number } | null {
  if (title === "") return null;
  const heading = leadingHeading(lineReader(doc));
  if (heading?.title !== title) return null;
  const line = doc.line(heading.index + 1);
  const from = line.from + line.text.indexOf(title, 1);
  return { from, to: from + title.length, line: heading.index + 1 };
}
