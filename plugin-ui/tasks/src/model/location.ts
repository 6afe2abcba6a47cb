/** A person's location: everything that a reload must restore. */

export const home = "/app/tasks";

export const boardPath = (board: string) => `${home}/${board}`;

export const cardPath = (board: string, card: string) => `${boardPath(board)}/card/${card}`;

export type Layout = "board" | "list" | "calendar";

export const layouts: readonly Layout[] = ["board", "list", "calendar"];

/** A filter by due day. */
export type Due = "late" | "week" | "none";

export const dues: readonly Due[] = ["late", "week", "none"];

export interface Filters {
  readonly text: string;
  /** Ids of people; one of them is enough. */
  readonly people: readonly string[];
  /** Ids of labels; one of them is enough. */
  readonly labels: readonly string[];
  readonly due: Due | null;
  /** Only cards with a comment that names the person who looks. */
  readonly mentioned: boolean;
}

export interface BoardLocation {
  readonly layout: Layout;
  readonly filters: Filters;
}

export const noFilters: Filters = { text: "", people: [], labels: [], due: null, mentioned: false };

export function isFiltered({ text, people, labels, due, mentioned }: Filters): boolean {
  return text !== "" || people.length > 0 || labels.length > 0 || due !== null || mentioned;
}

const oneOf = <T extends string>(all: readonly T[], text: string | null): T | null =>
  all.find((one) => one === text) ?? null;

export function readLocation(params: URLSearchParams): BoardLocation {
  return {
    layout: oneOf(layouts, params.get("layout")) ?? "board",
    filters: {
      text: params.get("q") ?? "",
      people: params.getAll("who"),
      labels: params.getAll("label"),
      due: oneOf(dues, params.get("due")),
      mentioned: params.has("mentioned"),
    },
  };
}

/** The query of an address; empty for the board without a filter. Other parameters stay. */
export function writeLocation(location: BoardLocation, before: URLSearchParams): URLSearchParams {
  const params = new URLSearchParams(before);
  const { layout, filters } = location;
  for (const name of ["layout", "q", "who", "label", "due", "mentioned"]) params.delete(name);
  if (layout !== "board") params.set("layout", layout);
  if (filters.text) params.set("q", filters.text);
  for (const id of filters.people) params.append("who", id);
  for (const id of filters.labels) params.append("label", id);
  if (filters.due) params.set("due", filters.due);
  if (filters.mentioned) params.set("mentioned", "");
  return params;
}
