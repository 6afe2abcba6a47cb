import { useEffect, useRef, type RefObject } from "react";
import { useLocation } from "react-router";

const sectionOf = (pathname: string) => pathname.split("/", 3).join("/");

/**
 * After going to another part of the app, the keyboard and the screen reader are in its page. Inside a plugin the plugin
 * decides, unless the focus got lost.
 */
export function useRouteFocus(main: RefObject<HTMLElement | null>): void {
  const { pathname } = useLocation();
  const before = useRef(pathname);
  useEffect(() => {
    if (before.current === pathname) return;
    const moved = sectionOf(before.current) !== sectionOf(pathname);
    before.current = pathname;
    const element = main.current;
    const focused = document.activeElement;
    if (!element || element.contains(focused)) return;
    if (moved || focused === document.body) element.focus({ preventScroll: true });
  }, [pathname, main]);
}
