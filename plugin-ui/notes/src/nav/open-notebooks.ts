import { useStore } from "@tenon/host";
import { useMemo } from "react";
import { openNotebooks } from "../app/preference.ts";

/** Shows or hides what is inside a notebook. */
export function toggleNotebook(id: string): void {
  openNotebooks.set((open) =>
    open.includes(id) ? open.filter((other) => other !== id) : [...open, id],
  );
}

export function useOpenNotebooks(): ReadonlySet<string> {
  const open = useStore(openNotebooks);
  return useMemo(() => new Set(open), [open]);
}
