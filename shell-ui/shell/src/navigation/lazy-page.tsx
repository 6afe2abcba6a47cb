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

export interface LazyPageOptions {
  /** The page around it may have unsaved input: it is never reloaded. */
  stays?: boolean;
}

const isServerReachable = () =>
  fetch("/healthz").then(
    (response) => response.ok,
    () => false,
  );

/**
 * A page in a chunk of its own. Unlike `React.lazy` it can be preloaded, and tried again after a failure.
 * Many browsers remember that a module did not load for as long as the document lives. If it fails again although
 * the server responds, the document is reloaded.
 */
export function lazyPage<Props extends object = object>(
  load: () => Promise<Loaded<Props> | PageModule>,
  { stays = false }: LazyPageOptions = {},
): LazyPage<Props> {
  let pending: Promise<Loaded<Props>> | null = null;
  let hasFailed = false;
  const loadOrReload = async () => {
    try {
      return (await load()) as Loaded<Props>;
    } catch (error) {
      const mustReload = hasFailed && !stays && (await isServerReachable());
      hasFailed = true;
      if (!mustReload) throw error;
      location.reload();
      return new Promise<never>(() => undefined);
    }
  };
  const preload = () => {
    if (!pending) {
      pending = readable(loadOrReload());
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
