import { toast } from "@tenon/ui";
import { useMemo } from "react";
import { useNavigate } from "react-router";
import { useNotesLocation } from "../app/location-context.tsx";
import type { Followed, LinkTable } from "../editor/links.ts";
import { fileKey, type FileTable } from "../model/files.ts";
import { notesApi } from "../model/notes-api.ts";
import { newId } from "../model/uuid.ts";
import type { BegunState } from "./use-session.ts";

const elsewhere = /^(?:https?:|mailto:|tel:)/i;

/** Follows a link of a note: to another note, to elsewhere, or to a note that could be made. */
export function useFollow(links: LinkTable, files: FileTable) {
  const { location, go } = useNotesLocation();
  const navigate = useNavigate();
  return useMemo(() => {
    const open = (id: string, heading: string) =>
      go({ note: id, fresh: false, revision: null }, { state: { heading } satisfies BegunState });
    const create = (title: string) =>
      go({ note: newId(), fresh: true }, { state: { begun: true, title } satisfies BegunState });
    const followTitle = async (target: string, heading: string) => {
      const known = links.get(`title ${target}`)?.note;
      if (known) {
        open(known.id, heading);
        return;
      }
      // Typed a moment ago: the server has not been asked yet.
      const found = await notesApi.suggest(target, { limit: 5 }).catch(() => ({ items: [] }));
      const same = found.items.find(({ title }) => title.toLowerCase() === target.toLowerCase());
      if (same) open(same.id, heading);
      else {
        toast(`There is no note named “${target}” yet`, {
          action: { label: "Create note", run: () => create(target) },
        });
      }
    };
    return (link: Followed | { kind: "note"; id: string; heading: string }) => {
      if (link.kind === "note") open(link.id, link.heading);
      else if (link.kind === "title") void followTitle(link.target, link.heading);
      else if (elsewhere.test(link.href)) window.open(link.href, "_blank", "noopener,noreferrer");
      else {
        const file = files.get(fileKey(link.href));
        if (file) {
          // Saved under its name: the page stays.
          window.location.assign(notesApi.fileUrl(file.id, true));
          return;
        }
        const [target = "", heading = ""] = link.href.split("#", 2);
        const known = links.get(`path ${target}`)?.note;
        if (known) open(known.id, heading);
        else if (target !== "") toast("This link does not lead to a note");
      }
    };
    // The location matters to `go`.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [links, files, location, go, navigate]);
}
