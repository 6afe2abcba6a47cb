import { mergeTexts } from "../model/three-way-merge.ts";
import type { CurrentNote } from "../model/types.ts";
import type { Base, Content } from "./draft-store.ts";

/** The versions a person can choose from. Changes that do not overlap are in both. */
export interface Choices {
  mine: Content;
  theirs: Content;
}

/** The result when the server holds another version than the one a change was made from. */
export type MergeOutcome =
  /** It is what was sent before, without a response. */
  | { kind: "own" }
  /** The changes do not overlap: `content` has both. */
  | { kind: "merged"; content: Content }
  /** A person must choose. */
  | { kind: "conflict"; choices: Choices };

/** Merges what is here with what the server holds, both made from `base`. */
export function mergeRemote(
  base: Base,
  here: Content,
  there: CurrentNote,
  pending: readonly Content[],
): MergeOutcome {
  if (pending.some(({ title, text }) => text === there.text && title === there.title)) {
    return { kind: "own" };
  }
  const title = mergeTitles(base.title, here.title, there.title);
  const text =
    mergePart(base.text, here.text, there.text) ?? mergeTexts(base.text, here.text, there.text);
  const choices: Choices = {
    mine: { title: title.mine, text: text.mine },
    theirs: { title: title.theirs, text: text.theirs },
  };
  return title.mine === title.theirs && text.mine === text.theirs
    ? { kind: "merged", content: choices.mine }
    : { kind: "conflict", choices };
}

/** Both results of a merge in which one side changed nothing, or both did the same. */
function mergePart(base: string, mine: string, theirs: string) {
  if (mine === base || mine === theirs) return { mine: theirs, theirs };
  if (theirs === base) return { mine, theirs: mine };
  return null;
}

function mergeTitles(base: string, mine: string, theirs: string) {
  return mergePart(base, mine, theirs) ?? { mine, theirs };
}
