import { useUser } from "@tenon/host";
import { Button, SaveStatus } from "@tenon/ui";
import { CloudOff } from "lucide-react";
import type { Person } from "../model/types.ts";
import type { SessionState } from "../saving/session-state.ts";

/** Shows the state of saving, quietly, and what to do when it does not work. */
export function SaveLine({ state, onRetry }: { state: SessionState; onRetry(): void }) {
  const { status, kept, version, mergedWith } = state;
  const where = kept ? "kept in this browser" : "keep this page open";
  switch (status.kind) {
    case "saved":
      if (version === 0) return null;
      if (!mergedWith) return <SaveStatus state="saved" />;
      return (
        <SaveStatus state="saved">
          <MergeNotice editor={mergedWith} />
        </SaveStatus>
      );
    case "edited":
      return <SaveStatus state="unsaved" />;
    case "saving":
      return <SaveStatus state="saving" />;
    case "offline":
      return (
        <SaveStatus state="unsaved">
          <CloudOff size={14} />
          Offline – {where}
        </SaveStatus>
      );
    case "failed":
    case "refused":
      return (
        <span className="notes-save-failed">
          <SaveStatus state="failed">
            <span
              className="t-ellipsis"
              title={`${status.problem.message} (${status.problem.code})`}
            >
              Could not save – {where}
            </span>
          </SaveStatus>
          <Button size="small" onClick={onRetry}>
            Retry
          </Button>
        </span>
      );
    case "conflict":
      return <SaveStatus state="failed">Edit conflict</SaveStatus>;
    case "trashed":
    case "gone":
      return <SaveStatus state="failed">Not saved – {where}</SaveStatus>;
  }
}

/** Shows only the first word on a phone. */
function MergeNotice({ editor }: { editor: Person }) {
  const isOwn = editor.id === useUser().id;
  const rest = isOwn
    ? "with your changes in another window"
    : `with changes by ${editor.name || "someone else"}`;
  return (
    <span className="t-ellipsis" title={`Merged ${rest}`}>
      Merged<span className="notes-merged-with"> {rest}</span>
    </span>
  );
}
