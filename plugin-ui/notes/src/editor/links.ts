import { Facet, StateEffect, StateField } from "@codemirror/state";
import type { NoteLink } from "../model/types.ts";

/** The notes that the links of a text lead to, by the target as written. */
export type LinkTable = ReadonlyMap<string, NoteLink>;

export function linkTable(links: readonly NoteLink[]): LinkTable {
  return new Map(links.map((link) => [`${link.kind} ${link.target}`, link]));
}

/** A link that a person follows. */
export type Followed =
  { kind: "title"; target: string; heading: string } | { kind: "href"; href: string };

export interface LinkActions {
  follow(link: Followed): void;
}

export const linkActions = Facet.define<LinkActions, LinkActions>({
  combine: (values) => values[0] ?? { follow: () => undefined },
});

export const setLinks = StateEffect.define<LinkTable>();

export const links = StateField.define<LinkTable>({
  create: () => new Map(),
  update: (table, transaction) =>
    transaction.effects.reduce(
      (value, effect) => (effect.is(setLinks) ? effect.value : value),
      table,
    ),
});
