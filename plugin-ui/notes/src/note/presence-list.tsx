import { useStore } from "@tenon/host";
import { PresenceStack, usePresence } from "@tenon/ui/records";
import type { NoteSession } from "../saving/note-session.ts";

const states = { editing: "is writing" };

/** Shows the other people who have this note open. */
export function PresenceList({ session }: { session: NoteSession }) {
  const isSaved = useStore(session.state, ({ status }) => status.kind === "saved");
  const presence = usePresence("notes", "news", session.id, isSaved ? {} : { state: "editing" });
  return <PresenceStack {...presence} states={states} />;
}
