import type { ReactNode } from "react";

/** A line of a `dl` with the class `shell-facts`. */
export function DetailRow({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
