import type { PageModule } from "@tenon/host";
import { use, type ComponentType } from "react";
import { rememberFailure } from "./failures.ts";
import { readable } from "./readable.ts";

export interface LazyPage {
  (): React.ReactNode;
  /** Fetches the page's module; safe to call often. */
  preload(): Promise<PageModule>;
}

/** A page in a chunk of its own. Unlike `React.lazy` it can be preloaded, and tried again after a failure. */
export function lazyPage(load: () => Promise<PageModule>): LazyPage {
  let pending: Promise<PageModule> | null = null;
  const preload = () => {
    if (!pending) {
      pending = readable(load());
      pending.catch(() => rememberFailure(() => (pending = null)));
    }
    return pending;
  };
  function Page() {
    const { default: Component }: { default: ComponentType } = use(preload());
    return <Component />;
  }
  return Object.assign(Page, { preload });
}
