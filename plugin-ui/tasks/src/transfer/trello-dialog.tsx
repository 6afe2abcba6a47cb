import { useQueryClient } from "@tanstack/react-query";
import { Button, clientFor, Dialog, errorMessage, Notice, Progress } from "@tenon/ui";
import { CircleAlert, FileJson } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useNavigate } from "react-router";
import { boardPath } from "../model/location.ts";
import { sendFile } from "./send-file.ts";

const api = clientFor("/api/tasks");
const pause = 500;

interface ImportState {
  over: boolean;
  done: boolean;
  error: string;
}

/** Imports a board from the JSON that Trello exports. */
export function TrelloDialog({ onClose }: { onClose(): void }) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const input = useRef<HTMLInputElement>(null);
  const [part, setPart] = useState<number | null>(null);
  const [isMaking, setIsMaking] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const isOpen = useRef(true);
  useEffect(() => {
    isOpen.current = true;
    return () => void (isOpen.current = false);
  }, []);

  const take = async (file: File) => {
    setError(null);
    setPart(0);
    try {
      const sent = await sendFile(file, setPart).done;
      if (!sent) return;
      setIsMaking(true);
      const { job, board } = await api.post<{ job: string; board: string }>("trello", {
        blob: sent.blob,
      });
      let state: ImportState;
      do {
        await new Promise((resolve) => setTimeout(resolve, pause));
        state = await api.get<ImportState>(`trello/${job}`);
      } while (!state.over);
      await queries.invalidateQueries({ queryKey: ["tasks"] });
      if (!state.done) setError(state.error || "The import was cancelled.");
      else if (isOpen.current) await navigate(boardPath(board));
    } catch (problem) {
      setError(errorMessage(problem));
    } finally {
      setPart(null);
      setIsMaking(false);
    }
  };
  const isBusy = part !== null;
  return (
    <Dialog
      open
      onClose={onClose}
      title="Import from Trello"
      description="In Trello, open the board menu and choose “Print, export and share”, then “Export as JSON”. This imports lists, labels, cards, checklists and comments."
      actions={
        <>
          <Button onClick={onClose}>{isBusy ? "Continue in background" : "Cancel"}</Button>
          <Button
            variant="primary"
            icon={FileJson}
            busy={isBusy}
            onClick={() => input.current?.click()}
          >
            Choose file
          </Button>
        </>
      }
    >
      {error && (
        <Notice tone="danger" icon={CircleAlert}>
          {error}
        </Notice>
      )}
      {isBusy && (
        <div role="status" className="tasks-sending">
          <span>{isMaking ? "Creating the board" : "Uploading the file"}</span>
          <Progress label="Import" value={isMaking ? undefined : part} />
        </div>
      )}
      <input
        ref={input}
        type="file"
        hidden
        accept=".json,application/json"
        data-testid="trello-file"
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          event.target.value = "";
          if (file) void take(file);
        }}
      />
    </Dialog>
  );
}
