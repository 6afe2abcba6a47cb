// Made of tables.json by @tenon/rollup-preset: what is written here is lost.
import { defineTable, type Fields, type FileValue, type Increment } from "@tenon/ui/records";

/**
 * A record of `boards`.
 * A board, and who may see and change what is on it.
 */
export interface Board {
  id: string;
  title: string;
  description: string | null;
  /** Since when it is put away. */
  archived: string | null;
  /** Who may see the board besides who made it. */
  readers: string[];
  /** Who may change it too. */
  writers: string[];
  reader_groups: string[];
  writer_groups: string[];
  created: string;
  updated: string;
  created_by: string | null;
  updated_by: string | null;
}

export interface NewBoard {
  /** A UUID, so that a request that is sent again makes no second record. */
  id?: string;
  title: string;
  description?: string | null;
  /** Since when it is put away. */
  archived?: string | null;
  /** Who may see the board besides who made it. */
  readers?: string[] | null;
  /** Who may change it too. */
  writers?: string[] | null;
  reader_groups?: string[] | null;
  writer_groups?: string[] | null;
}

export interface BoardPatch {
  title?: string;
  description?: string | null;
  /** Since when it is put away. */
  archived?: string | null;
  /** Who may see the board besides who made it. */
  readers?: string[] | null;
  /** Who may change it too. */
  writers?: string[] | null;
  reader_groups?: string[] | null;
  writer_groups?: string[] | null;
}

export type BoardsSort =
  "id" | "title" | "description" | "archived" | "created" | "updated" | "created_by" | "updated_by";

export interface BoardsTypes {
  record: Board;
  create: NewBoard;
  patch: BoardPatch;
  sort: BoardsSort;
}

const boardsFields: Fields = {
  title: { type: "text", required: true },
  description: { type: "text" },
  archived: { type: "datetime" },
  readers: { type: "user", many: true },
  writers: { type: "user", many: true },
  reader_groups: { type: "reference", many: true },
  writer_groups: { type: "reference", many: true },
  created: { type: "datetime", required: true, readOnly: true },
  updated: { type: "datetime", required: true, readOnly: true },
  created_by: { type: "user", readOnly: true },
  updated_by: { type: "user", readOnly: true },
};
export const boards = defineTable<BoardsTypes>("tasks", "boards", boardsFields);
export const {
  useList: useBoards,
  useInfinite: useInfiniteBoards,
  useGroups: useBoardGroups,
  useOne: useBoard,
  useCreate: useCreateBoard,
  useUpdate: useUpdateBoard,
  useRemove: useRemoveBoard,
  useBatch: useBatchBoards,
} = boards.hooks;

/** A record of `columns`. */
export interface Column {
  id: string;
  /** The board, whose members see this. */
  board: string;
  title: string;
  /** A fractional key: text order, by code points, is the order on the screen. */
  position: string;
  /** How many cards it should hold at most; more are shown as too many. */
  most: number | null;
  /** Cards here are done: they are never late. */
  done: boolean;
}

export interface NewColumn {
  /** A UUID, so that a request that is sent again makes no second record. */
  id?: string;
  /** The board, whose members see this. */
  board: string;
  title: string;
  /** A fractional key: text order, by code points, is the order on the screen. */
  position: string;
  /** How many cards it should hold at most; more are shown as too many. */
  most?: number | null;
  /** Cards here are done: they are never late. */
  done?: boolean;
}

export interface ColumnPatch {
  /** The board, whose members see this. */
  board?: string;
  title?: string;
  /** A fractional key: text order, by code points, is the order on the screen. */
  position?: string;
  /** How many cards it should hold at most; more are shown as too many. */
  most?: number | Increment | null;
  /** Cards here are done: they are never late. */
  done?: boolean;
}

export type ColumnsSort = "id" | "board" | "title" | "position" | "most" | "done";

export interface ColumnsTypes {
  record: Column;
  create: NewColumn;
  patch: ColumnPatch;
  sort: ColumnsSort;
}

const columnsFields: Fields = {
  board: { type: "reference", required: true },
  title: { type: "text", required: true },
  position: { type: "text", required: true },
  most: { type: "integer" },
  done: { type: "boolean", required: true, default: false },
};
export const columns = defineTable<ColumnsTypes>("tasks", "columns", columnsFields);
export const {
  useList: useColumns,
  useInfinite: useInfiniteColumns,
  useGroups: useColumnGroups,
  useOne: useColumn,
  useCreate: useCreateColumn,
  useUpdate: useUpdateColumn,
  useRemove: useRemoveColumn,
  useBatch: useBatchColumns,
} = columns.hooks;

export type LabelsColor =
  "gray" | "red" | "orange" | "yellow" | "green" | "teal" | "blue" | "purple" | "pink";

/** A record of `labels`. */
export interface Label {
  id: string;
  /** The board, whose members see this. */
  board: string;
  name: string;
  color: LabelsColor;
}

export interface NewLabel {
  /** A UUID, so that a request that is sent again makes no second record. */
  id?: string;
  /** The board, whose members see this. */
  board: string;
  name: string;
  color?: LabelsColor;
}

export interface LabelPatch {
  /** The board, whose members see this. */
  board?: string;
  name?: string;
  color?: LabelsColor;
}

export type LabelsSort = "id" | "board" | "name" | "color";

export interface LabelsTypes {
  record: Label;
  create: NewLabel;
  patch: LabelPatch;
  sort: LabelsSort;
}

const labelsFields: Fields = {
  board: { type: "reference", required: true },
  name: { type: "text", required: true },
  color: {
    type: "choice",
    required: true,
    choices: ["gray", "red", "orange", "yellow", "green", "teal", "blue", "purple", "pink"],
    default: "gray",
  },
};
export const labels = defineTable<LabelsTypes>("tasks", "labels", labelsFields);
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

export type CardsRepeat = "daily" | "weekdays" | "weekly" | "monthly" | "yearly";

/** A record of `cards`. */
export interface Card {
  id: string;
  /** The board, whose members see this. */
  board: string;
  column: string;
  /** A fractional key: text order, by code points, is the order on the screen. */
  position: string;
  title: string;
  /** Markdown. */
  description: string | null;
  /** Whether it has a description, for lists that leave that out. */
  described: boolean;
  assignees: string[];
  labels: string[];
  due: string | null;
  /** Since when it is put away; empty on the board. */
  archived: string | null;
  files: FileValue[] | null;
  /** How often a fresh copy of the card is made. */
  repeat: CardsRepeat | null;
  /** The day of the next copy, which then repeats instead of this card. */
  repeats: string | null;
  /** Where copies come; else the card's own column. */
  repeat_column: string | null;
  created: string;
  updated: string;
  created_by: string | null;
  updated_by: string | null;
  version: number;
}

export interface NewCard {
  /** A UUID, so that a request that is sent again makes no second record. */
  id?: string;
  /** The board, whose members see this. */
  board: string;
  column: string;
  /** A fractional key: text order, by code points, is the order on the screen. */
  position: string;
  title: string;
  /** Markdown. */
  description?: string | null;
  assignees?: string[] | null;
  labels?: string[] | null;
  due?: string | null;
  /** Since when it is put away; empty on the board. */
  archived?: string | null;
  /** How often a fresh copy of the card is made. */
  repeat?: CardsRepeat | null;
  /** The day of the next copy, which then repeats instead of this card. */
  repeats?: string | null;
  /** Where copies come; else the card's own column. */
  repeat_column?: string | null;
}

export interface CardPatch {
  /** The board, whose members see this. */
  board?: string;
  column?: string;
  /** A fractional key: text order, by code points, is the order on the screen. */
  position?: string;
  title?: string;
  /** Markdown. */
  description?: string | null;
  assignees?: string[] | null;
  labels?: string[] | null;
  due?: string | null;
  /** Since when it is put away; empty on the board. */
  archived?: string | null;
  /** How often a fresh copy of the card is made. */
  repeat?: CardsRepeat | null;
  /** The day of the next copy, which then repeats instead of this card. */
  repeats?: string | null;
  /** Where copies come; else the card's own column. */
  repeat_column?: string | null;
}

export type CardsSort =
  | "id"
  | "board"
  | "column"
  | "position"
  | "title"
  | "description"
  | "due"
  | "archived"
  | "repeat"
  | "repeats"
  | "repeat_column"
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
  board: { type: "reference", required: true },
  column: { type: "reference", required: true },
  position: { type: "text", required: true },
  title: { type: "text", required: true },
  description: { type: "text" },
  described: { type: "computed", value: "boolean", readOnly: true },
  assignees: { type: "user", many: true },
  labels: { type: "reference", many: true },
  due: { type: "date" },
  archived: { type: "datetime" },
  files: { type: "blob", many: true, readOnly: true },
  repeat: { type: "choice", choices: ["daily", "weekdays", "weekly", "monthly", "yearly"] },
  repeats: { type: "date" },
  repeat_column: { type: "reference" },
  created: { type: "datetime", required: true, readOnly: true },
  updated: { type: "datetime", required: true, readOnly: true },
  created_by: { type: "user", readOnly: true },
  updated_by: { type: "user", readOnly: true },
  version: { type: "integer", required: true, readOnly: true },
};
export const cards = defineTable<CardsTypes>("tasks", "cards", cardsFields);
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

/** A record of `checklist_items`. */
export interface ChecklistItem {
  id: string;
  /** The board, whose members see this. */
  board: string;
  card: string;
  /** A fractional key: text order, by code points, is the order on the screen. */
  position: string;
  title: string;
  done: boolean;
  created_by: string | null;
  updated_by: string | null;
}

export interface NewChecklistItem {
  /** A UUID, so that a request that is sent again makes no second record. */
  id?: string;
  /** The board, whose members see this. */
  board: string;
  card: string;
  /** A fractional key: text order, by code points, is the order on the screen. */
  position: string;
  title: string;
  done?: boolean;
}

export interface ChecklistItemPatch {
  /** The board, whose members see this. */
  board?: string;
  card?: string;
  /** A fractional key: text order, by code points, is the order on the screen. */
  position?: string;
  title?: string;
  done?: boolean;
}

export type ChecklistItemsSort =
  "id" | "board" | "card" | "position" | "title" | "done" | "created_by" | "updated_by";

export interface ChecklistItemsTypes {
  record: ChecklistItem;
  create: NewChecklistItem;
  patch: ChecklistItemPatch;
  sort: ChecklistItemsSort;
}

const checklistItemsFields: Fields = {
  board: { type: "reference", required: true },
  card: { type: "reference", required: true },
  position: { type: "text", required: true },
  title: { type: "text", required: true },
  done: { type: "boolean", required: true, default: false },
  created_by: { type: "user", readOnly: true },
  updated_by: { type: "user", readOnly: true },
};
export const checklistItems = defineTable<ChecklistItemsTypes>(
  "tasks",
  "checklist_items",
  checklistItemsFields,
);
export const {
  useList: useChecklistItems,
  useInfinite: useInfiniteChecklistItems,
  useGroups: useChecklistItemGroups,
  useOne: useChecklistItem,
  useCreate: useCreateChecklistItem,
  useUpdate: useUpdateChecklistItem,
  useRemove: useRemoveChecklistItem,
  useBatch: useBatchChecklistItems,
} = checklistItems.hooks;

/** A record of `comments`. */
export interface Comment {
  id: string;
  /** The board, whose members see this. */
  board: string;
  card: string;
  /** Markdown. */
  text: string;
  /** Whom the text names. */
  mentions: string[];
  created: string;
  updated: string;
  created_by: string | null;
  updated_by: string | null;
}

export interface NewComment {
  /** A UUID, so that a request that is sent again makes no second record. */
  id?: string;
  /** The board, whose members see this. */
  board: string;
  card: string;
  /** Markdown. */
  text: string;
  /** Whom the text names. */
  mentions?: string[] | null;
}

export interface CommentPatch {
  /** The board, whose members see this. */
  board?: string;
  card?: string;
  /** Markdown. */
  text?: string;
  /** Whom the text names. */
  mentions?: string[] | null;
}

export type CommentsSort =
  "id" | "board" | "card" | "text" | "created" | "updated" | "created_by" | "updated_by";

export interface CommentsTypes {
  record: Comment;
  create: NewComment;
  patch: CommentPatch;
  sort: CommentsSort;
}

const commentsFields: Fields = {
  board: { type: "reference", required: true },
  card: { type: "reference", required: true },
  text: { type: "text", required: true },
  mentions: { type: "user", many: true },
  created: { type: "datetime", required: true, readOnly: true },
  updated: { type: "datetime", required: true, readOnly: true },
  created_by: { type: "user", readOnly: true },
  updated_by: { type: "user", readOnly: true },
};
export const comments = defineTable<CommentsTypes>("tasks", "comments", commentsFields);
export const {
  useList: useComments,
  useInfinite: useInfiniteComments,
  useGroups: useCommentGroups,
  useOne: useComment,
  useCreate: useCreateComment,
  useUpdate: useUpdateComment,
  useRemove: useRemoveComment,
  useBatch: useBatchComments,
} = comments.hooks;

export type ActivityKind =
  | "made"
  | "moved"
  | "renamed"
  | "described"
  | "dated"
  | "archived"
  | "restored"
  | "checked"
  | "unchecked";

/**
 * A record of `activity`.
 * What happened to a card. Written by triggers, by nobody else.
 */
export interface ActivityRecord {
  id: string;
  /** The board, whose members see this. */
  board: string;
  card: string;
  kind: ActivityKind;
  /** Empty: the board itself, as by a card that repeats. */
  actor: string | null;
  before: string | null;
  after: string | null;
  created: string;
}

export interface NewActivityRecord {
  /** A UUID, so that a request that is sent again makes no second record. */
  id?: string;
  /** The board, whose members see this. */
  board: string;
  card: string;
  kind: ActivityKind;
  /** Empty: the board itself, as by a card that repeats. */
  actor?: string | null;
  before?: string | null;
  after?: string | null;
  created: string;
}

export interface ActivityRecordPatch {
  /** The board, whose members see this. */
  board?: string;
  card?: string;
  kind?: ActivityKind;
  /** Empty: the board itself, as by a card that repeats. */
  actor?: string | null;
  before?: string | null;
  after?: string | null;
  created?: string;
}

export type ActivitySort =
  "id" | "board" | "card" | "kind" | "actor" | "before" | "after" | "created";

export interface ActivityTypes {
  record: ActivityRecord;
  create: NewActivityRecord;
  patch: ActivityRecordPatch;
  sort: ActivitySort;
}

const activityFields: Fields = {
  board: { type: "reference", required: true },
  card: { type: "reference", required: true },
  kind: {
    type: "choice",
    required: true,
    choices: [
      "made",
      "moved",
      "renamed",
      "described",
      "dated",
      "archived",
      "restored",
      "checked",
      "unchecked",
    ],
  },
  actor: { type: "user" },
  before: { type: "text" },
  after: { type: "text" },
  created: { type: "datetime", required: true },
};
export const activity = defineTable<ActivityTypes>("tasks", "activity", activityFields);
export const {
  useList: useActivity,
  useInfinite: useInfiniteActivity,
  useGroups: useActivityRecordGroups,
  useOne: useActivityRecord,
  useCreate: useCreateActivityRecord,
  useUpdate: useUpdateActivityRecord,
  useRemove: useRemoveActivityRecord,
  useBatch: useBatchActivity,
} = activity.hooks;

/**
 * A record of `views`.
 * A filter and a layout of a board under a name.
 */
export interface View {
  id: string;
  /** The board, whose members see this. */
  board: string;
  name: string;
  shared: boolean;
  /** As in the address of the page: layout=list&label=… */
  query: string;
  created_by: string | null;
  updated_by: string | null;
}

export interface NewView {
  /** A UUID, so that a request that is sent again makes no second record. */
  id?: string;
  /** The board, whose members see this. */
  board: string;
  name: string;
  shared?: boolean;
  /** As in the address of the page: layout=list&label=… */
  query: string;
}

export interface ViewPatch {
  /** The board, whose members see this. */
  board?: string;
  name?: string;
  shared?: boolean;
  /** As in the address of the page: layout=list&label=… */
  query?: string;
}

export type ViewsSort = "id" | "board" | "name" | "shared" | "query" | "created_by" | "updated_by";

export interface ViewsTypes {
  record: View;
  create: NewView;
  patch: ViewPatch;
  sort: ViewsSort;
}

const viewsFields: Fields = {
  board: { type: "reference", required: true },
  name: { type: "text", required: true },
  shared: { type: "boolean", required: true, default: false },
  query: { type: "text", required: true },
  created_by: { type: "user", readOnly: true },
  updated_by: { type: "user", readOnly: true },
};
export const views = defineTable<ViewsTypes>("tasks", "views", viewsFields);
export const {
  useList: useViews,
  useInfinite: useInfiniteViews,
  useGroups: useViewGroups,
  useOne: useView,
  useCreate: useCreateView,
  useUpdate: useUpdateView,
  useRemove: useRemoveView,
  useBatch: useBatchViews,
} = views.hooks;
