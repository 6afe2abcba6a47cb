import { Button, ErrorState, PageHeader } from "@tenon/ui/frame";
import { Component, type ReactNode } from "react";
import { useLocation } from "react-router";
import { forgetFailures, onRetry } from "../navigation/failures.ts";

interface BoundaryProps {
  /** Another value tries again. */
  resetKey: string;
  fallback(error: unknown, retry: () => void): ReactNode;
  children: ReactNode;
}

interface BoundaryState {
  error?: unknown;
  failed: boolean;
  resetKey: string;
}

/** Keeps a crash of what is inside to itself. */
export class ErrorBoundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { failed: false, resetKey: this.props.resetKey };

  static getDerivedStateFromError(error: unknown): Partial<BoundaryState> {
    return { failed: true, error };
  }

  static getDerivedStateFromProps(props: BoundaryProps, state: BoundaryState) {
    if (props.resetKey === state.resetKey) return null;
    if (state.failed) forgetFailures();
    return { failed: false, error: undefined, resetKey: props.resetKey };
  }

  private stopRetrying?: () => void;

  override componentDidMount() {
    this.stopRetrying = onRetry((hasFailed) => hasFailed && this.state.failed && this.retry());
  }

  override componentWillUnmount() {
    this.stopRetrying?.();
  }

  private retry = () => {
    forgetFailures();
    this.setState({ failed: false, error: undefined });
  };

  override render(): ReactNode {
    const { failed, error } = this.state;
    return failed ? this.props.fallback(error, this.retry) : this.props.children;
  }
}

/** For the shell's own pages; a plugin's have one each. */
export function PageBoundary({ children }: { children: ReactNode }) {
  const { key } = useLocation();
  return (
    <ErrorBoundary
      resetKey={key}
      fallback={(error, retry) => (
        <>
          <PageHeader title="Something went wrong" />
          <ErrorState
            error={error}
            title="Could not show this page"
            onRetry={retry}
            action={<Button onClick={() => location.reload()}>Reload</Button>}
          />
        </>
      )}
    >
      {children}
    </ErrorBoundary>
  );
}
