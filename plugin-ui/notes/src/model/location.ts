import { isId } from "./uuid.ts";

/** Which notes the list shows. */
export type View =
  | { kind: "all" | "recent" | "pinned" | "shared" | "unfiled" | "trash" }
  | { kind: "notebook"; id: string }
  | { kind: "tag"; name: string };

export type Sort = "-updated" | "title";
export type Panel = "outline" | "links" | "files" | "history";

/** A person's location in the notes: all that a reload restores. */
export interface NotesLocation {
  view: View;
  /** Id of the open note. */
  note: string | null;
  /** The note has just been begun and may not be on the server yet. */
  fresh: boolean;
  query: string;
  sort: Sort;
  panel: Panel | null;
  /** Id of the revision that is looked at. */
  revision: string | null;
}

const base = "/app/notes";
const simple = ["all", "recent", "pinned", "shared", "unfiled", "trash"] as const;
const panels: readonly string[] = ["outline", "links", "files", "history"] satisfies Panel[];

export const everything: View = { kind: "all" };

function decode(segment: string | undefined): string {
  try {
    return decodeURIComponent(segment ?? "");
  } catch {
    return "";
  }
}

/** Reads a path below `/app/notes`. `null`: there is nothing at this address. */
export function parseLocation(pathname: string, search: string): NotesLocation | null {
  const segments = pathname.slice(base.length).split("/").filter(Boolean);
  const [kind = "all", ...rest] = segments;
  let view: View;
  let note: string | undefined;
  let more: string[];
  if ((simple as readonly string[]).includes(kind)) {
    view = { kind: kind as (typeof simple)[number] };
    [note, ...more] = rest;
  } else if (kind === "notebook" && isId(rest[0] ?? "")) {
    view = { kind, id: rest[0] ?? "" };
    [, note, ...more] = rest;
  } else if (kind === "tag" && decode(rest[0])) {
    view = { kind, name: decode(rest[0]) };
    [, note, ...more] = rest;
  } else {
    return null;
  }
  if (more.length > 0 || (note !== undefined && !isId(note))) return null;
  const params = new URLSearchParams(search);
  const panel = params.get("panel") ?? "";
  return {
    view,
    note: note ?? null,
    fresh: note !== undefined && params.has("new"),
    query: params.get("q") ?? "",
    sort: params.get("sort") === "title" && canSort(view) ? "title" : "-updated",
    panel: note !== undefined && panels.includes(panel) ? (panel as Panel) : null,
    revision: panel === "history" ? params.get("revision") : null,
  };
}

/** `recent` and `trash` are orders by themselves. */
export function canSort(view: View): boolean {
  return view.kind !== "recent" && view.kind !== "trash";
}

function viewPath(view: View): string {
  if (view.kind === "notebook") return `${base}/notebook/${view.id}`;
  if (view.kind === "tag") return `${base}/tag/${encodeURIComponent(view.name)}`;
  return `${base}/${view.kind}`;
}

/** The address of a location; what is left out is as at the start. */
export function locationPath(location: Partial<NotesLocation>): string {
  const { view = everything, note, fresh, query, sort, panel, revision } = location;
  const params = new URLSearchParams();
  if (query) params.set("q", query);
  if (sort === "title" && canSort(view)) params.set("sort", sort);
  if (note && fresh) params.set("new", "");
  if (note && panel) params.set("panel", panel);
  if (note && panel === "history" && revision) params.set("revision", revision);
  const path = note ? `${viewPath(view)}/${note}` : view.kind === "all" ? base : viewPath(view);
  const search = params.toString().replace("new=", "new");
  return search ? `${path}?${search}` : path;
}

/** Returns the address of a note, independent of the list that shows it. */
export function notePath(id: string): string {
  return locationPath({ note: id });
}

export function sameView(a: View, b: View): boolean {
  return viewPath(a) === viewPath(b);
}

/** Identifies a view in caches and preferences. */
export function viewKey(view: View): string {
  return viewPath(view).slice(base.length + 1);
}
