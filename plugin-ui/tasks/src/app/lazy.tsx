import { Suspense, use, type ComponentType, type ReactNode } from "react";

/** A component in a chunk of its own. A failed fetch is tried again by the next render. */
export function lazyComponent<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): (props: Props & { fallback?: ReactNode }) => ReactNode {
  let pending: Promise<ComponentType<Props>> | null = null;
  const fetched = () => {
    if (!pending) {
      pending = load();
      pending.catch(() => (pending = null));
    }
    return pending;
  };
  function Loaded(props: Props) {
    const Component = use(fetched());
    return <Component {...props} />;
  }
  return function Lazy({ fallback = null, ...props }) {
    return (
      <Suspense fallback={fallback}>
        <Loaded {...(props as unknown as Props)} />
      </Suspense>
    );
  };
}
