/**
 * Moves the focus out of a field onto `element`, which is no control. Until the focus moves on, letters do nothing,
 * so a person who keeps typing runs no commands.
 */
export function restFocus(element: HTMLElement): void {
  element.tabIndex = -1;
  element.dataset.noLetterKeys = "";
  element.addEventListener(
    "blur",
    () => {
      element.removeAttribute("tabindex");
      delete element.dataset.noLetterKeys;
    },
    { once: true },
  );
  element.focus({ preventScroll: true });
}
