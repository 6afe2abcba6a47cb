import { AssetError } from "@tenon/host";
import { CircleAlert, CloudOff } from "lucide-react";
import type { ReactNode } from "react";
import { Problem } from "../client/problem.ts";
import { Button } from "./button.tsx";
import type { IconType, Tone } from "./icon.ts";

export function Badge({ tone, children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span className="t-badge" data-tone={tone}>
      {children}
    </span>
  );
}

export interface NoticeProps {
  tone?: Tone;
  icon?: IconType;
  children: ReactNode;
  action?: ReactNode;
  /** False where its content changes all the time: screen readers read it when they come by. */
  live?: boolean;
}

/** A line that stays: what is the matter with this view, and what to do. */
export function Notice({ tone, icon: Icon, children, action, live = true }: NoticeProps) {
  const role = tone === "danger" ? "alert" : "status";
  return (
    <div className="t-notice" data-tone={tone} role={live ? role : undefined}>
      {Icon && <Icon size={16} />}
      <div>{children}</div>
      {action}
    </div>
  );
}

export interface SkeletonProps {
  width?: string | number;
  height?: string | number;
  radius?: string | number;
}

/** A grey shape where content will be. Appears only after 150 ms. */
export function Skeleton({ width = "100%", height = "0.875rem", radius }: SkeletonProps) {
  return (
    <span
      className="t-skeleton"
      style={{ inlineSize: width, blockSize: height, borderRadius: radius }}
    />
  );
}

const widths = ["62%", "48%", "71%", "55%", "40%", "66%"];

/** Skeleton of a list. */
export function SkeletonRows({ count = 6, label = "Loading" }: { count?: number; label?: string }) {
  return (
    <div role="status" aria-label={label}>
      {Array.from({ length: count }, (_, index) => (
        <div key={index} className="t-skeleton-row">
          <Skeleton width={widths[index % widths.length]} />
        </div>
      ))}
    </div>
  );
}

export interface EmptyStateProps {
  icon?: IconType;
  /** One sentence. */
  title: string;
  children?: ReactNode;
  /** The action that ends it. */
  action?: ReactNode;
  heading?: "h1" | "h2";
}

export function EmptyState({
  icon: Icon,
  title,
  children,
  action,
  heading: Heading = "h2",
}: EmptyStateProps) {
  return (
    <div className="t-state">
      {Icon && (
        <div className="t-state-icon">
          <Icon size={20} />
        </div>
      )}
      <Heading>{title}</Heading>
      {children && <p>{children}</p>}
      {action && <div className="t-state-actions">{action}</div>}
    </div>
  );
}

export interface ErrorStateProps {
  error: unknown;
  /** The failed action: "Could not load the notes". */
  title?: string;
  onRetry?(): void;
  action?: ReactNode;
  /** An explanation, if the error has none for users. */
  children?: ReactNode;
}

/** What happened, why, what to do, with the request id under details. */
export function ErrorState({
  error,
  title = "Could not show this",
  onRetry,
  action,
  children,
}: ErrorStateProps) {
  const offline = isNotLoaded(error) || (error instanceof Problem && error.status === 0);
  return (
    <div className="t-state" role="alert">
      <div className="t-state-icon">
        {offline ? <CloudOff size={20} /> : <CircleAlert size={20} />}
      </div>
      <h2>{title}</h2>
      <p>{children ?? errorMessage(error)}</p>
      <div className="t-state-actions">
        {onRetry && <Button onClick={onRetry}>Retry</Button>}
        {action}
      </div>
      <details>
        <summary>Details</summary>
        <pre>{errorDetails(error)}</pre>
      </details>
    </div>
  );
}

/** A script or stylesheet did not load; browsers have no error type of their own for it. */
function isNotLoaded(error: unknown): boolean {
  if (error instanceof AssetError) return true;
  return error instanceof TypeError && /dynamically imported|module script/i.test(error.message);
}

/** Returns the message of an error for users. */
export function errorMessage(error: unknown): string {
  if (error instanceof Problem) return error.message;
  if (isNotLoaded(error)) return "Part of the app did not load. Check your connection.";
  return "Something went wrong on this page. Saved data is safe.";
}

/** What a report of the error needs. */
export function errorDetails(error: unknown): string {
  if (error instanceof Problem) {
    return [
      `${error.status} ${error.code}`,
      error.request && `request ${error.request}`,
      error.requestId && `request id ${error.requestId}`,
    ]
      .filter(Boolean)
      .join("\n");
  }
  return error instanceof Error ? (error.stack ?? String(error)) : String(error);
}
