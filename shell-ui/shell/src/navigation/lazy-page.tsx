import type { PageModule } from "@tenon/host";
import { use, type ComponentType, type ReactNode } from "react";
import { rememberFailure } from "./failures.ts";
import { readable } from "./readable.ts";

interface Loaded<Props> {
  default: ComponentType<Props>;
}

export interface LazyPage<Props = object> {
  (props: Props): ReactNode;
  /** Fetches the page's module; safe to call often. */
  preload(): Promise<Loaded<Props>>;
}

/** A page in a chunk of its own. Unlike `React.lazy` it can be preloaded, and tried again after a failure. */
export function lazyPage<Props extends object = object>(
  load: () => Promise<Loaded<Props> | PageModule>,
): LazyPage<Props> {
  let pending: Promise<Loaded<Props>> | null = null;
  const preload = () => {
    if (!pending) {
      pending = readable(load() as Promise<Loaded<Props>>);
      pending.catch(() => rememberFailure(() => (pending = null)));
    }
    return pending;
  };
  function Page(props: Props) {
    const { default: Component } = use(preload());
    return <Component {...props} />;
  }
  return Object.assign(Page, { preload });
}
