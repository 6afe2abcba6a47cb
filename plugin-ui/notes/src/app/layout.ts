import { useLayoutEffect, useState, type RefObject } from "react";

/** How many panes fit: notebooks, list and note; list and note; one at a time. */
export type Layout = "wide" | "medium" | "narrow";

const widest = { narrow: 680, medium: 980 };

function layoutFor(width: number): Layout {
  return width < widest.narrow ? "narrow" : width < widest.medium ? "medium" : "wide";
}

/** Follows the width of the page's element, whatever the shell leaves it. */
export function useLayout(element: RefObject<HTMLElement | null>): Layout {
  const [layout, setLayout] = useState<Layout>("wide");
  useLayoutEffect(() => {
    const target = element.current;
    if (!target) return;
    const measure = () => setLayout(layoutFor(target.clientWidth));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(target);
    return () => observer.disconnect();
  }, [element]);
  return layout;
}
