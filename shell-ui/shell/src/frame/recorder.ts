import { useUser } from "@tenon/host";
import { useEffect } from "react";
import { useLocation } from "react-router";
import { recordPage } from "../navigation/recent-pages.ts";
import { usePageTitleNow } from "./page-titles.tsx";

/** Keeps the plugin pages that were looked at for the home page and the palette. */
export function useRecorder(): void {
  const { pathname } = useLocation();
  const title = usePageTitleNow();
  const { id } = useUser();
  useEffect(() => {
    const plugin = /^\/app\/([^/]+)\/./.exec(pathname)?.[1];
    if (!plugin || !title) return;
    // A page that is only passed through is not one to come back to.
    const timer = setTimeout(() => recordPage(id, { path: pathname, title, plugin }), 1_500);
    return () => clearTimeout(timer);
  }, [pathname, title, id]);
}
