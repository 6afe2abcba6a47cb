import { useMemo } from "react";
import { frontMatterLines, leadingHeading, linesOf } from "../model/markdown-text.ts";
import type { NoteSession } from "../saving/note-session.ts";
import { useSessionText } from "../note/use-session-text.ts";

export interface OutlineHeading {
  level: number;
  title: string;
  /** From 0. */
  line: number;
}

/** The headings of a text. A first one that says the same as the title is left out. */
export function headingsOf(text: string, title: string): OutlineHeading[] {
  const lineAt = linesOf(text);
  const repeated = leadingHeading(lineAt);
  const headings: OutlineHeading[] = [];
  let fence: string | null = null;
  for (let line = frontMatterLines(lineAt), at = lineAt(line); at !== null; at = lineAt(++line)) {
    const mark = /^\s{0,3}(`{3,}|~{3,})/.exec(at)?.[1];
    if (mark && (fence === null || mark.startsWith(fence))) fence = fence === null ? mark : null;
    if (fence !== null) continue;
    const match = /^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$/.exec(at);
    if (!match?.[2] || (line === repeated?.index && repeated.title === title)) continue;
    headings.push({ level: match[1]?.length ?? 1, title: plain(match[2]), line });
  }
  return headings;
}

/** Without the marks of formats and links. */
function plain(markdown: string): string {
  return markdown
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/\[\[(?:[^\]|]*\|)?([^\]]*)\]\]/g, "$1")
    .replace(/(\*\*|__|~~|`|\*)(.+?)\1/g, "$2")
    .replace(/<[^>]+>/g, "")
    .trim();
}

export function Outline({
  session,
  onGoToLine,
}: {
  session: NoteSession;
  onGoToLine(line: number): void;
}) {
  const text = useSessionText(session);
  const { title } = session.state.get();
  const headings = useMemo(() => headingsOf(text, title), [text, title]);
  if (headings.length === 0) {
    return (
      <p className="notes-panel-hint">Headings appear here. Begin a line with ## to add one.</p>
    );
  }
  const top = Math.min(...headings.map(({ level }) => level));
  return (
    <ul className="notes-outline">
      {headings.map((heading) => (
        <li key={heading.line}>
          <button
            type="button"
            className="t-ellipsis"
            title={heading.title}
            style={{ "--notes-depth": heading.level - top } as React.CSSProperties}
            onClick={() => onGoToLine(heading.line)}
          >
            {heading.title}
          </button>
        </li>
      ))}
    </ul>
  );
}
