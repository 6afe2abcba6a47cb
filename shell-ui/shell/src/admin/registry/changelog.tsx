import { Fragment, type ReactNode } from "react";

/** `code`, **strong** and [words](of links), which lead nowhere: what others wrote is shown, not followed. */
function inline(text: string): ReactNode[] {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\([^)\s]*\))/).map((part, at) => {
    if (part.startsWith("`") && part.length > 2) return <code key={at}>{part.slice(1, -1)}</code>;
    if (part.startsWith("**") && part.length > 4)
      return <strong key={at}>{part.slice(2, -2)}</strong>;
    const link = /^\[([^\]]+)\]\(/.exec(part);
    return <Fragment key={at}>{link ? link[1] : part}</Fragment>;
  });
}

interface Block {
  kind: "list" | "heading" | "text";
  lines: string[];
}

function blocksOf(text: string): readonly Block[] {
  const blocks: Block[] = [];
  let isOpen = false;
  for (const raw of text.split("\n")) {
    const line = raw.trim();
    const item = /^[-*+]\s+(.*)/.exec(line);
    const heading = /^#{1,6}\s+(.*)/.exec(line);
    const last = blocks.at(-1);
    if (!line) {
      isOpen = false;
    } else if (item) {
      if (last?.kind === "list") last.lines.push(item[1] ?? "");
      else blocks.push({ kind: "list", lines: [item[1] ?? ""] });
      isOpen = true;
    } else if (heading) {
      blocks.push({ kind: "heading", lines: [heading[1] ?? ""] });
      isOpen = false;
    } else if (isOpen && last) {
      last.lines.push(`${last.lines.pop() ?? ""} ${line}`);
    } else {
      blocks.push({ kind: "text", lines: [line] });
      isOpen = true;
    }
  }
  return blocks;
}

/** Renders the changelog of a version, in the Markdown that changelogs use. */
export function Changelog({ text }: { text: string }) {
  return (
    <div className="shell-changelog">
      {blocksOf(text).map(({ kind, lines }, at) =>
        kind === "list" ? (
          <ul key={at}>
            {lines.map((line, item) => (
              <li key={item}>{inline(line)}</li>
            ))}
          </ul>
        ) : kind === "heading" ? (
          <h4 key={at}>{inline(lines[0] ?? "")}</h4>
        ) : (
          <p key={at}>{inline(lines.join(" "))}</p>
        ),
      )}
    </div>
  );
}
