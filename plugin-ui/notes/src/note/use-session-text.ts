import { useStore } from "@tenon/host";
import { useEffect, useState } from "react";
import type { NoteSession } from "../saving/note-session.ts";

/** Returns how long readers of a text wait after the last letter, milliseconds: rendering a book takes a second. */
function pauseFor(length: number): number {
  return length > 400_000 ? 2_000 : length > 100_000 ? 600 : 120;
}

/** The text of a session, a moment after it has changed. */
export function useSessionText(session: NoteSession, enabled = true): string {
  const edits = useStore(session.edits);
  const given = useStore(session.state, (state) => state.given.count);
  const [text, setText] = useState(session.text);
  useEffect(() => {
    if (!enabled) return;
    const timer = setTimeout(() => setText(session.text), pauseFor(text.length));
    return () => clearTimeout(timer);
    // How long it was is near enough.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [session, edits, enabled]);
  // Another text altogether is shown at once.
  useEffect(() => {
    if (enabled) setText(session.text);
  }, [session, given, enabled]);
  return text;
}
