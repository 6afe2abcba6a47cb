import { useQueryClient } from "@tanstack/react-query";
import { usePlugin } from "@tenon/host";
import { toast } from "@tenon/ui";
import { useEffect, useState } from "react";
import { countsChanged, noteChanged } from "../model/queries.ts";
import type { Unresolved } from "../saving/saving.ts";

/** Saves what an earlier window left unsaved, soon after the page is shown. Returns what needs a person. */
export function useRecovery(): readonly Unresolved[] {
  const context = usePlugin();
  const client = useQueryClient();
  const [unresolved, setUnresolved] = useState<readonly Unresolved[]>([]);
  useEffect(() => {
    let stop: (() => void)[] = [];
    let ended = false;
    const begin = async () => {
      const { savingFor } = await import("../saving/saving.ts");
      if (ended || context.signal.aborted) return;
      const saving = savingFor(context);
      stop = [
        saving.unresolved.subscribe(() => setUnresolved(saving.unresolved.get())),
        saving.onSaved((note) => {
          noteChanged(client, note);
          if (note.version === 1) countsChanged(client);
        }),
      ];
      setUnresolved(saving.unresolved.get());
      const titles = await saving.recover();
      if (titles.length === 1) toast(`Unsaved changes to “${titles[0] || "Untitled"}” were saved`);
      else if (titles.length > 1) toast(`Unsaved changes to ${titles.length} notes were saved`);
    };
    // A failed chunk is fetched again with the first note.
    begin().catch(() => undefined);
    return () => {
      ended = true;
      stop.forEach((dispose) => dispose());
    };
  }, [context, client]);
  return unresolved;
}
