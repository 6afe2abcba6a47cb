import { createContext, use, useEffect } from "react";
import type { Dispose } from "./store.ts";

export interface PageTitles {
  set(title: string): Dispose;
}

const TitleContext = createContext<PageTitles>({
  set(title) {
    document.title = title;
    return () => undefined;
  },
});
export const PageTitleProvider = TitleContext.Provider;

/** Names the page in the tab, in the history and for screen readers. `PageHeader` calls it. */
export function usePageTitle(title: string | undefined): void {
  const titles = use(TitleContext);
  useEffect(() => (title ? titles.set(title) : undefined), [titles, title]);
}
