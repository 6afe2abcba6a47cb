/**
 * Fields that a person changed, with what they held before. Values that a page sets by itself are no input, and React keeps
 * `defaultValue` at the value of a controlled field: so it is read when the first input arrives, before any page sees it.
 */
const changed = new Map<HTMLElement, string | null>();

const texts =
  "input:not([type=checkbox], [type=radio], [type=hidden], [type=file], [type=range]), textarea";
/** Controls that apply at once outside a form, and with their form inside one. */
const choices = "form :is([type=checkbox], [type=radio], [type=file], select)";

/** `null` where what was there before is not known. */
function before(field: HTMLElement): string | null {
  if (field instanceof HTMLTextAreaElement) return field.defaultValue;
  if (field instanceof HTMLInputElement && field.matches(texts)) return field.defaultValue;
  return null;
}

function isChanged(field: HTMLElement, was: string | null): boolean {
  if (!field.isConnected) return false;
  return was === null || (field as HTMLInputElement).value !== was;
}

function note({ target }: Event): void {
  if (!(target instanceof HTMLElement)) return;
  const editable = target.closest<HTMLElement>("[contenteditable]:not([contenteditable=false])");
  const field = target.matches(`${texts}, ${choices}`) ? target : editable;
  if (!field || changed.has(field)) return;
  for (const other of changed.keys()) if (!other.isConnected) changed.delete(other);
  changed.set(field, before(field));
}

document.addEventListener("input", note, { capture: true, passive: true });

export const isEditable = (element: Element | null): boolean =>
  element instanceof HTMLElement &&
  element.closest("[contenteditable]:not([contenteditable=false])") !== null;

/** Returns the fields inside `root` whose value the user changed. */
export function changedFields(root: Element): readonly HTMLElement[] {
  return [...changed]
    .filter(([field, was]) => root.contains(field) && isChanged(field, was))
    .map(([field]) => field);
}
