import { StateEffect, StateField } from "@codemirror/state";
import { WidgetType } from "@codemirror/view";
import { fileKey, isOwnTarget, type FileTable } from "../model/files.ts";
import { notesApi } from "../model/notes-api.ts";
import type { Attachment } from "../model/types.ts";

export const setFiles = StateEffect.define<FileTable>();

/** The files of the note. */
export const files = StateField.define<FileTable>({
  create: () => new Map(),
  update: (table, transaction) =>
    transaction.effects.reduce(
      (value, effect) => (effect.is(setFiles) ? effect.value : value),
      table,
    ),
});

/** A picture as it will look. Its size is known before it comes, so nothing jumps. */
class Picture extends WidgetType {
  private readonly file: Attachment;
  private readonly alt: string;

  constructor(file: Attachment, alt: string) {
    super();
    this.file = file;
    this.alt = alt;
  }
  override eq(other: Picture) {
    return other.file.id === this.file.id && other.alt === this.alt;
  }
  override toDOM() {
    return pictureElement(this.file, this.alt);
  }
  override ignoreEvent() {
    return false;
  }
}

/** A picture that has not arrived, or is not the note's. */
class Missing extends WidgetType {
  private readonly name: string;

  constructor(name: string) {
    super();
    this.name = name;
  }
  override eq(other: Missing) {
    return other.name === this.name;
  }
  override toDOM() {
    const element = document.createElement("span");
    element.className = "md-picture";
    element.textContent = this.name;
    element.title = "File not available yet";
    return element;
  }
  override ignoreEvent() {
    return false;
  }
}

export function pictureElement(file: Attachment, alt: string): HTMLImageElement {
  const image = document.createElement("img");
  image.className = "md-image";
  image.loading = "lazy";
  image.decoding = "async";
  image.alt = alt;
  if (file.width !== null && file.height !== null) {
    image.width = file.width;
    image.height = file.height;
  }
  image.src = notesApi.fileUrl(file.id);
  return image;
}

/** Returns the widget for `![alt](target)`; null: the source is shown. */
export function pictureWidget(table: FileTable, target: string, alt: string): WidgetType | null {
  const file = table.get(fileKey(target));
  if (file?.type) return new Picture(file, alt);
  return isOwnTarget(target) ? new Missing(alt || file?.name || "File") : null;
}
