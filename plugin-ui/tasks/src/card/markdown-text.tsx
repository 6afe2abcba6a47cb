import { useLayoutEffect, useRef } from "react";
import { renderMarkdown } from "./markdown.ts";

export function MarkdownText({ text, names }: { text: string; names?: readonly string[] }) {
  const ref = useRef<HTMLDivElement>(null);
  const key = names?.join("\n") ?? "";
  useLayoutEffect(() => {
    ref.current?.replaceChildren(renderMarkdown(text, key === "" ? [] : key.split("\n")));
  }, [text, key]);
  return <div ref={ref} className="tasks-prose" />;
}
