import type { ComponentProps, CSSProperties, ReactNode } from "react";
import { classNames } from "./class-names.ts";

export interface SectionProps {
  title: string;
  description?: ReactNode;
  action?: ReactNode;
  children?: ReactNode;
}

export function Section({ title, description, action, children }: SectionProps) {
  return (
    <section className="t-section" aria-label={title}>
      <header>
        <div>
          <h2>{title}</h2>
          {description && <p className="t-muted">{description}</p>}
        </div>
        {action}
      </header>
      {children}
    </section>
  );
}

export function Card({ className, ...rest }: ComponentProps<"div">) {
  return <div {...rest} className={classNames("t-card", className)} />;
}

export interface TableCardProps {
  /** Names the table for screen readers. */
  label: string;
  /** Titles of the columns. */
  columns: readonly string[];
  /** The rows: `<tr>` elements. */
  children: ReactNode;
  className?: string;
}

/** Shows a table in a card. A table that is too wide scrolls, also with the keyboard. */
export function TableCard({ label, columns, children, className }: TableCardProps) {
  return (
    <Card className="t-table-card" role="group" aria-label={label} tabIndex={0}>
      <table className={classNames("t-table", className)}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </Card>
  );
}

export interface SplitViewProps {
  list: ReactNode;
  listLabel: string;
  detail: ReactNode;
  /** On a phone one of both is shown. */
  showDetail: boolean;
  /** CSS width of the list; default: 18rem. */
  listWidth?: string;
}

/** List and detail. Both scroll by themselves, so the list keeps its place. */
export function SplitView({ list, listLabel, detail, showDetail, listWidth }: SplitViewProps) {
  return (
    <div
      className="t-split"
      data-detail={showDetail || undefined}
      style={listWidth ? ({ "--t-split": listWidth } as CSSProperties) : undefined}
    >
      <div className="t-split-list" role="region" aria-label={listLabel}>
        {list}
      </div>
      <div className="t-split-detail">{detail}</div>
    </div>
  );
}
