import { generateNKeysBetween } from "fractional-indexing";

/** An item in an order that people make. */
export interface Placed {
  readonly id: string;
  readonly position: string;
}

/** Text order by code points, which is that of the server; of one key the id decides. */
export function byPosition(one: Placed, other: Placed): number {
  const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  return compare(one.position, other.position) || compare(one.id, other.id);
}

/**
 * The keys that put `id` at `index` of `others`, which are in order and without it: nearly always one. Where others
 * at the index share a key (two people put them there at once), those after it get new ones too.
 */
export function reorder(others: readonly Placed[], index: number, id: string): Placed[] {
  const before = others[index - 1]?.position ?? null;
  let end = index;
  // A key made elsewhere may not lie below its follower.
  while (end < others.length && before !== null && (others[end]?.position ?? "") <= before) end++;
  const after = others[end]?.position ?? null;
  const ids = [id, ...others.slice(index, end).map((other) => other.id)];
  const keys = generateNKeysBetween(before, after, ids.length);
  return ids.map((each, at) => ({ id: each, position: keys[at] ?? "" }));
}

/** Returns the keys that the items of `moves` have in `all`, to undo the moves. */
export function currentKeys(all: readonly Placed[], moves: readonly Placed[]): Placed[] {
  const ids = new Set(moves.map(({ id }) => id));
  return all.filter(({ id }) => ids.has(id)).map(({ id, position }) => ({ id, position }));
}

/** Returns a key after the last of `all`. */
export function keyAtEnd(all: readonly Placed[]): string {
  return reorder(all, all.length, "")[0]?.position ?? "a0";
}
