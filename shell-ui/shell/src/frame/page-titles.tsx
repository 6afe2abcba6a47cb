import { createStore, PageTitleProvider, useStore, type PageTitles } from "@tenon/host";
import { useEffect, useState, type ReactNode } from "react";
import { useServices } from "../services.ts";

const titles = createStore<readonly { title: string }[]>([]);

const scope: PageTitles = {
  set(title) {
    const entry = { title };
    titles.set((all) => [...all, entry]);
    return () => titles.set((all) => all.filter((other) => other !== entry));
  },
};

/** The title that was set last and still holds. */
export function usePageTitleNow(): string | undefined {
  return useStore(titles, (all) => all.at(-1)?.title);
}

/** Names the tab after the page, and says the name to screen readers when it changes. */
export function TitleScope({ children }: { children: ReactNode }) {
  return (
    <PageTitleProvider value={scope}>
      {children}
      <TitleWriter />
    </PageTitleProvider>
  );
}

function TitleWriter() {
  const installation = useStore(useServices().name);
  const title = usePageTitleNow();
  const [first] = useState(title);
  useEffect(() => {
    document.title = title ? `${title} · ${installation}` : installation;
  }, [title, installation]);
  return (
    <div className="t-visually-hidden" aria-live="polite">
      {title === first ? "" : title}
    </div>
  );
}
