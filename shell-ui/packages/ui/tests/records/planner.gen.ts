// Made of tables.json by @tenon/rollup-preset: what is written here is lost.
import { defineTable, type Fields, type FileValue, type Increment } from "@tenon/ui/records";

/** A record of `labels`. */
export interface Label {
  id: string;
  name: string;
  version: number;
}

export interface NewLabel {
  /** A UUID, so that a request that is sent again makes no second record. */
  id?: string;
  name: string;
}

export interface LabelPatch {
  name?: string;
}

export type LabelsSort = "id" | "name" | "version";

export interface LabelsTypes {
  record: Label;
  create: NewLabel;
  patch: LabelPatch;
  sort: LabelsSort;
}

const labelsFields: Fields = {
  name: { type: "text", required: true },
  version: { type: "integer", required: true, readOnly: true },
};
export const labels = defineTable<LabelsTypes>("planner", "labels", labelsFields);
export const {
  useList: useLabels,
  useInfinite: useInfiniteLabels,
  useGroups: useLabelGroups,
  useOne: useLabel,
  useCreate: useCreateLabel,
  useUpdate: useUpdateLabel,
  useRemove: useRemoveLabel,
  useBatch: useBatchLabels,
} = labels.hooks;

export type CardsState = "open" | "In progress" | "done";

export type CardsMood = "good" | 'it\'s "so"';

export type CardsColors = "red" | "green";

export type CardsFlags = "a" | "b";

/**
 * A record of `cards`.
 * What is to be done.
 * One card, one thing.
 */
export interface Card {
  id: string;
  /** One line, "plain". */
  title: string;
  body: string | null;
  points: number;
  hours: number | null;
  reporter: string;
  slug: string;
  pinned: boolean;
  due: string | null;
  started: string | null;
  extra: unknown;
  state: CardsState;
  mood: CardsMood | null;
  colors: CardsColors[] | null;
  flags: CardsFlags[];
  board: string | null;
  parent: string | null;
  labels: string[];
  owner: string | null;
  watchers: string[];
  team: string | null;
  cover: FileValue | null;
  files: FileValue[] | null;
  is_done: boolean;
  score: number;
  created: string;
  updated: string;
  created_by: string | null;
  updated_by: string | null;
  version: number;
}

export interface NewCard {
  /** A UUID, so that a request that is sent again makes no second record. */
  id?: string;
  /** One line, "plain". */
  title: string;
  body?: string | null;
  points?: number;
  hours?: number | null;
  reporter?: string;
  slug?: string;
  pinned?: boolean;
  due?: string | null;
  started?: string | null;
  extra?: unknown;
  state?: CardsState;
  mood?: CardsMood | null;
  colors?: CardsColors[] | null;
  flags?: CardsFlags[];
  board?: string | null;
  parent?: string | null;
  labels?: string[] | null;
  owner?: string | null;
  watchers?: string[] | null;
  team?: string | null;
}

export interface CardPatch {
  /** One line, "plain". */
  title?: string;
  body?: string | null;
  points?: number | Increment;
  hours?: number | Increment | null;
  reporter?: string;
  slug?: string;
  pinned?: boolean;
  due?: string | null;
  started?: string | null;
  extra?: unknown;
  state?: CardsState;
  mood?: CardsMood | null;
  colors?: CardsColors[] | null;
  flags?: CardsFlags[];
  board?: string | null;
  parent?: string | null;
  labels?: string[] | null;
  owner?: string | null;
  watchers?: string[] | null;
  team?: string | null;
}

export type CardsSort =
  | "id"
  | "title"
  | "body"
  | "points"
  | "hours"
  | "reporter"
  | "slug"
  | "pinned"
  | "due"
  | "started"
  | "state"
  | "mood"
  | "board"
  | "parent"
  | "owner"
  | "team"
  | "score"
  | "created"
  | "updated"
  | "created_by"
  | "updated_by"
  | "version";

export interface CardsTypes {
  record: Card;
  create: NewCard;
  patch: CardPatch;
  sort: CardsSort;
}

const cardsFields: Fields = {
  title: { type: "text", required: true },
  body: { type: "text" },
  points: { type: "integer", required: true, default: 1 },
  hours: { type: "number" },
  reporter: { type: "user", required: true, default: "@user" },
  slug: { type: "text", required: true, setByCallback: true },
  pinned: { type: "boolean", required: true, default: false },
  due: { type: "date" },
  started: { type: "datetime" },
  extra: { type: "json" },
  state: {
    type: "choice",
    required: true,
    choices: ["open", "In progress", "done"],
    default: "open",
  },
  mood: { type: "choice", choices: ["good", 'it\'s "so"'] },
  colors: { type: "choice", many: true, choices: ["red", "green"] },
  flags: { type: "choice", required: true, many: true, choices: ["a", "b"] },
  board: { type: "reference" },
  parent: { type: "reference" },
  labels: { type: "reference", many: true },
  owner: { type: "user" },
  watchers: { type: "user", many: true },
  team: { type: "reference" },
  cover: { type: "blob", readOnly: true },
  files: { type: "blob", many: true, readOnly: true },
  is_done: { type: "computed", value: "boolean", readOnly: true },
  score: { type: "integer", required: true, readOnly: true, default: 0 },
  created: { type: "datetime", required: true, readOnly: true },
  updated: { type: "datetime", required: true, readOnly: true },
  created_by: { type: "user", readOnly: true },
  updated_by: { type: "user", readOnly: true },
  version: { type: "integer", required: true, readOnly: true },
};
export const cards = defineTable<CardsTypes>("planner", "cards", cardsFields);
export const {
  useList: useCards,
  useInfinite: useInfiniteCards,
  useGroups: useCardGroups,
  useOne: useCard,
  useCreate: useCreateCard,
  useUpdate: useUpdateCard,
  useRemove: useRemoveCard,
  useBatch: useBatchCards,
} = cards.hooks;

/**
 * A record of `data`.
 * Ends *\/ here.
 */
export interface DataRecord {
  id: string;
  value: unknown;
}

export interface NewDataRecord {
  /** A UUID, so that a request that is sent again makes no second record. */
  id?: string;
  value: unknown;
}

export interface DataRecordPatch {
  value?: unknown;
}

export type DataSort = "id";

export interface DataTypes {
  record: DataRecord;
  create: NewDataRecord;
  patch: DataRecordPatch;
  sort: DataSort;
}

const dataFields: Fields = {
  value: { type: "json", required: true },
};
export const data = defineTable<DataTypes>("planner", "data", dataFields);
export const {
  useList: useData,
  useInfinite: useInfiniteData,
  useGroups: useDataRecordGroups,
  useOne: useDataRecord,
  useCreate: useCreateDataRecord,
  useUpdate: useUpdateDataRecord,
  useRemove: useRemoveDataRecord,
  useBatch: useBatchData,
} = data.hooks;
