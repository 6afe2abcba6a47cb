import { Check, CircleAlert } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";
import { Spinner } from "./button.tsx";

export type SaveState = "saved" | "saving" | "unsaved" | "failed";

const saveTexts: Record<SaveState, string> = {
  saved: "Saved",
  saving: "Saving",
  unsaved: "Edited",
  failed: "Not saved",
};

/** Shows the state of autosave. */
export function SaveStatus({ state, children }: { state: SaveState; children?: ReactNode }) {
  return (
    <span className="t-save-status" data-state={state} role="status">
      {state === "saving" && <Spinner />}
      {state === "saved" && <Check size={14} />}
      {state === "failed" && <CircleAlert size={14} />}
      {children ?? saveTexts[state]}
    </span>
  );
}

/** How far; without `value` it runs without an end in sight. */
export function Progress({ label, ...rest }: ComponentProps<"progress"> & { label: string }) {
  return <progress {...rest} aria-label={label} className="t-progress" />;
}
