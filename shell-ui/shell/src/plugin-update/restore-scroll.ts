/** Milliseconds in which a page has to be as tall again as it was, and to show what had the focus. */
const restoreTimeout = 3_000;

/** Returns a selector of an element below `root`, to find it after the page is rendered again. */
function pathOf(element: Element, root: Element): string {
  const steps: string[] = [];
  for (let at = element; at !== root && at.parentElement; at = at.parentElement) {
    const index = [...at.parentElement.children].indexOf(at);
    steps.unshift(`${at.tagName}:nth-child(${index + 1})`);
  }
  return `:scope > ${steps.join(" > ")}`;
}

interface ScrollPosition {
  find(): HTMLElement | null;
  top: number;
  left: number;
}

/**
 * Remembers the scroll positions in and around `root`, and the focus. The returned function restores them as soon as the
 * page has the elements again, unless the user scrolls, clicks or types before.
 */
export function rememberScroll(root: HTMLElement): () => void {
  const main = root.closest<HTMLElement>("main");
  const select = (path: string) => () => root.querySelector<HTMLElement>(path);
  const positions: ScrollPosition[] = [...root.querySelectorAll("*")]
    .filter(({ scrollTop, scrollLeft }) => scrollTop !== 0 || scrollLeft !== 0)
    .map((element) => ({
      find: select(pathOf(element, root)),
      top: element.scrollTop,
      left: element.scrollLeft,
    }));
  if (main && main.scrollTop !== 0)
    positions.push({ find: () => main, top: main.scrollTop, left: main.scrollLeft });
  const focused = document.activeElement;
  const hadFocus = focused !== null && root.contains(focused);
  const findFocused = hadFocus ? select(pathOf(focused, root)) : () => null;

  return () => {
    // The keyboard stays in the page, whatever comes of it.
    if (hadFocus && document.activeElement === document.body) main?.focus({ preventScroll: true });
    let left = positions;
    let isFocused = !hadFocus;
    const stop = new AbortController();
    for (const event of ["wheel", "touchstart", "pointerdown", "keydown"])
      addEventListener(event, () => stop.abort(), {
        capture: true,
        passive: true,
        signal: stop.signal,
      });
    const end = performance.now() + restoreTimeout;
    const step = () => {
      if (stop.signal.aborted) return;
      left = left.filter((location) => {
        const element = location.find();
        element?.scrollTo({ top: location.top, left: location.left, behavior: "instant" });
        return !element || Math.abs(element.scrollTop - location.top) > 1;
      });
      if (!isFocused && [main, document.body].includes(document.activeElement as HTMLElement)) {
        findFocused()?.focus({ preventScroll: true });
        isFocused = document.activeElement !== main && document.activeElement !== document.body;
      }
      if ((left.length > 0 || !isFocused) && performance.now() < end) requestAnimationFrame(step);
      else stop.abort();
    };
    step();
  };
}
