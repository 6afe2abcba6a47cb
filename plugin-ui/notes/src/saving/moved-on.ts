import type { CurrentNote } from "../model/types.ts";
import type { Base, Content } from "./draft-store.ts";

/** What to do when the server holds another version than the one a change was made from. */
export type MovedOn =
  /** It is what was sent before, without an answer. */
  | { kind: "own" }
  /** The changes do not touch: this is both of them. */
  | { kind: "apart"; both: Content }
  /** A person must choose. */
  | { kind: "conflict" };

/** Compares title and text each by itself: a change here and a change there meet only in the same one. */
export function whenMovedOn(
  base: Base,
  here: Content,
  there: CurrentNote,
  unanswered: readonly Content[],
): MovedOn {
  if (unanswered.some(({ title, text }) => text === there.text && title === there.title)) {
    return { kind: "own" };
  }
  const both: Content = { ...here };
  for (const part of ["title", "text"] as const) {
    const changedThere = there[part] !== base[part];
    const changedHere = here[part] !== base[part];
    if (changedThere && changedHere && here[part] !== there[part]) return { kind: "conflict" };
    if (changedThere) both[part] = there[part];
  }
  return { kind: "apart", both };
}
