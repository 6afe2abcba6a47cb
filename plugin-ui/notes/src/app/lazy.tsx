import { Suspense, use, type ComponentType, type ReactNode } from "react";

export interface LazyComponent<Props> {
  (props: Props & { fallback?: ReactNode }): ReactNode;
  /** Fetches the chunk; safe to call often. */
  preload(): Promise<unknown>;
}

/** A component in a chunk of its own. A failed fetch is tried again by the next render. */
export function lazyComponent<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): LazyComponent<Props> {
  let pending: Promise<ComponentType<Props>> | null = null;
  const preload = () => {
    if (!pending) {
      pending = load();
      pending.catch(() => (pending = null));
    }
    return pending;
  };
  function Loaded(props: Props) {
    const Component = use(preload());
    return <Component {...props} />;
  }
  function Lazy({ fallback = null, ...props }: Props & { fallback?: ReactNode }) {
    return (
      <Suspense fallback={fallback}>
        <Loaded {...(props as unknown as Props)} />
      </Suspense>
    );
  }
  return Object.assign(Lazy, { preload });
}
