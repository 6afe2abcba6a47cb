import { useLayoutEffect, useRef, type RefObject } from "react";
import { useLocation, useNavigationType } from "react-router";

const positions = new Map<string, number>();

/** Going back finds the page where it was left; another page begins at its top. */
export function useScrollMemory(scroller: RefObject<HTMLElement | null>): void {
  const { key, pathname } = useLocation();
  const type = useNavigationType();
  const before = useRef(pathname);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    if (type === "POP") element.scrollTop = positions.get(key) ?? 0;
    else if (before.current !== pathname) element.scrollTop = 0;
    before.current = pathname;
    const remember = () => positions.set(key, element.scrollTop);
    element.addEventListener("scroll", remember, { passive: true });
    return () => element.removeEventListener("scroll", remember);
  }, [key, pathname, type, scroller]);
}
