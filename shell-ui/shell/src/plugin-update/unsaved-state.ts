import { changedFields, isEditable } from "./dirty-fields.ts";

/** The reasons not to replace the module of a page now, the strongest first. */
export type Risk = "unsaved" | "typed" | "editing" | "dialog" | "sending" | "pressed";

export interface PageState {
  /** A guard of the page is active: `useLeaveGuard(true, …)`. */
  isUnsaved: boolean;
  /** The page has guards, active or not: it says itself when its text is not saved. */
  reportsUnsaved: boolean;
  /** Changes are on their way to the server. */
  isSending: boolean;
}

const overPage = "dialog[open], [role=dialog]:not(dialog), [role=alertdialog]:not(dialog)";

function isOpen(popover: Element): boolean {
  try {
    return popover.matches(":popover-open:not(.t-toasts, [role=tooltip])");
  } catch {
    return false;
  }
}

const isOverlaid = () =>
  document.querySelector(overPage) !== null ||
  [...document.querySelectorAll("[popover]")].some(isOpen);

/** Nothing can be lost where this is `null`. */
export function unsavedRisk(root: Element, page: PageState): Risk | null {
  if (page.isUnsaved) return "unsaved";
  const fields = changedFields(root).filter((field) => !page.reportsUnsaved || !isEditable(field));
  if (fields.length > 0) return "typed";
  const focused = document.activeElement;
  if (root.contains(focused) && isEditable(focused)) return "editing";
  if (isOverlaid()) return "dialog";
  if (page.isSending) return "sending";
  if (root.querySelector(":active")) return "pressed";
  return null;
}
