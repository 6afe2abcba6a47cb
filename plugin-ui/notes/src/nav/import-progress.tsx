import { useStore } from "@tenon/host";
import { Progress } from "@tenon/ui";
import { ask } from "../app/dialog-state.ts";
import { doneOf, importState, isRunning } from "../transfer/transfer-state.ts";

/** An import that runs while the person is elsewhere. */
export function ImportProgress() {
  const state = useStore(importState);
  if (!state || !isRunning(state)) return null;
  const done = doneOf(state);
  return (
    <button
      type="button"
      className="notes-nav-import"
      onClick={() => ask({ kind: "import", notebook: null })}
    >
      <span>
        {state.phase === "failed" ? "Import stopped" : `Importing, ${done.toLocaleString()} files`}
      </span>
      <Progress label="Import" value={state.progress} />
    </button>
  );
}
