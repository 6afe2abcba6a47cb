// Made of tables.json by @tenon/rollup-preset: what is written here is lost.
import { defineTable, type FileValue } from "@tenon/ui/records";

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

export const labels = defineTable<LabelsTypes>("planner", "labels");
export const {
  useList: useLabels,
  useInfinite: useInfiniteLabels,
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
  is_done: string | number | boolean | null;
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
  secret?: string | null;
}

export interface CardPatch {
  /** One line, "plain". */
  title?: string;
  body?: string | null;
  points?: number;
  hours?: number | null;
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
  secret?: string | null;
}

export type CardsSort =
  | "id"
  | "title"
  | "body"
  | "points"
  | "hours"
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

export const cards = defineTable<CardsTypes>("planner", "cards");
export const {
  useList: useCards,
  useInfinite: useInfiniteCards,
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

export const data = defineTable<DataTypes>("planner", "data");
export const {
  useList: useData,
  useInfinite: useInfiniteData,
  useOne: useDataRecord,
  useCreate: useCreateDataRecord,
  useUpdate: useUpdateDataRecord,
  useRemove: useRemoveDataRecord,
  useBatch: useBatchData,
} = data.hooks;
