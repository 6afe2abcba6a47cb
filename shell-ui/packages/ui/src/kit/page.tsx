import { usePageTitle } from "@tenon/host";
import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "react-router";

export interface PageHeaderProps {
  title: string;
  breadcrumbs?: readonly { title: string; to: string }[];
  /** Small elements after the title: a badge, the state of autosave. */
  meta?: ReactNode;
  /** Secondary actions, best as one menu. */
  actions?: ReactNode;
  /** The one thing to do next. */
  primary?: ReactNode;
}

/** The line at the top of a page. Names the page for the tab and for screen readers. */
export function PageHeader({ title, breadcrumbs, meta, actions, primary }: PageHeaderProps) {
  usePageTitle(title);
  return (
    <header className="t-page-header">
      <div className="t-page-title">
        {breadcrumbs && breadcrumbs.length > 0 && (
          <nav className="t-crumbs" aria-label="Breadcrumb">
            <ol>
              {breadcrumbs.map((crumb) => (
                <li key={crumb.to}>
                  <Link to={crumb.to}>{crumb.title}</Link>
                  <ChevronRight size={14} />
                </li>
              ))}
            </ol>
          </nav>
        )}
        <h1 title={title}>{title}</h1>
        {meta}
      </div>
      {(actions || primary) && (
        <div className="t-page-actions">
          {actions}
          {primary}
        </div>
      )}
    </header>
  );
}

export interface PageProps extends PageHeaderProps {
  /** `reading`: 72 characters. `wide`: cards and tables. `full`: no padding. */
  width?: "reading" | "wide" | "full";
  children?: ReactNode;
}

/** Header line and body. */
export function Page({ width = "wide", children, ...header }: PageProps) {
  return (
    <div className="t-page">
      <PageHeader {...header} />
      <div className="t-page-body" data-width={width}>
        {children}
      </div>
    </div>
  );
}
