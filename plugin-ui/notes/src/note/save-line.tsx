import { Button, SaveStatus } from "@tenon/ui";
import { CloudOff } from "lucide-react";
import type { SessionState } from "../saving/note-session.ts";

/** How saving stands, quietly, and what to do when it does not work. */
export function SaveLine({ state, onRetry }: { state: SessionState; onRetry(): void }) {
  const { status, kept, version } = state;
  const where = kept ? "kept in this browser" : "not kept: leave this page open";
  switch (status.kind) {
    case "saved":
      return version === 0 ? null : <SaveStatus state="saved" />;
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
      return <SaveStatus state="failed">Changed elsewhere</SaveStatus>;
    case "trashed":
    case "gone":
      return <SaveStatus state="failed">Not saved – {where}</SaveStatus>;
  }
}
