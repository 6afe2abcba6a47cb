import type { ReactNode } from "react";

export function VisuallyHidden({ children }: { children: ReactNode }) {
  return <span className="t-visually-hidden">{children}</span>;
}

/** Initials of a person; the name must be next to it or in a label. */
export function Avatar({ name }: { name: string }) {
  const words = name.trim().split(/\s+/);
  const initials = [words[0], words.length > 1 ? words.at(-1) : ""].map(
    (word) => [...(word ?? "")][0] ?? "",
  );
  return (
    <span className="t-avatar" aria-hidden>
      {initials.join("").toUpperCase()}
    </span>
  );
}
