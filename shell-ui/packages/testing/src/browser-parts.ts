/** Adds the parts of a browser that the components use and jsdom lacks: top layer, layout observers, media queries. */
export function addBrowserParts(): void {
  const dialog = HTMLDialogElement.prototype;
  dialog.showModal ??= function (this: HTMLDialogElement) {
    this.open = true;
  };
  dialog.close ??= function (this: HTMLDialogElement) {
    if (!this.open) return;
    this.open = false;
    this.dispatchEvent(new Event("close"));
  };
  const element = HTMLElement.prototype;
  const toggle = (target: HTMLElement, shown: boolean) => {
    target.toggleAttribute("data-popover-open", shown);
    target.dispatchEvent(
      Object.assign(new Event("toggle"), { newState: shown ? "open" : "closed" }),
    );
  };
  element.showPopover ??= function (this: HTMLElement) {
    toggle(this, true);
  };
  element.hidePopover ??= function (this: HTMLElement) {
    toggle(this, false);
  };
  element.scrollIntoView ??= () => undefined;
  globalThis.ResizeObserver ??= class {
    observe() {}
    unobserve() {}
    disconnect() {}
  };
  window.matchMedia ??= (media: string) =>
    ({
      media,
      matches: false,
      addEventListener: () => undefined,
      removeEventListener: () => undefined,
    }) as unknown as MediaQueryList;
}
