import { IconButton } from "@tenon/ui/frame";
import { TriangleAlert, X } from "lucide-react";
import "./build-overlay.css";

/** A failure that `tenon dev` reports: of a build, or of a plugin at run time. */
export interface BuildReport {
  title: string;
  message: string;
  /** The error code; empty for the message of a compiler. */
  code?: string | undefined;
  /** The request of an error at run time. */
  request?: string;
  /** An error at run time, not of a build. */
  isRuntime?: boolean;
}

export interface BuildOverlayProps {
  report: BuildReport;
  onClose(): void;
}

/** Shows a failure of a plugin over the page until the next build succeeds or the user closes it. */
export default function BuildOverlay({ report, onClose }: BuildOverlayProps) {
  return (
    <section className="shell-build" role="alert" aria-label={report.title}>
      <div className="shell-build-title">
        <TriangleAlert size={16} />
        <h2>{report.title}</h2>
        <IconButton icon={X} label="Close" onClick={onClose} />
      </div>
      {/* A long line scrolls, also by keyboard. */}
      <pre tabIndex={0}>{report.message}</pre>
      <p>
        {report.isRuntime
          ? report.request && `Request ${report.request}. `
          : "The last version that worked still runs. "}
        {report.code && (
          <a
            href={`/docs/errors.html#${report.code.replace(".", "")}`}
            target="_blank"
            rel="noreferrer"
          >
            Explanation of {report.code}
          </a>
        )}
      </p>
    </section>
  );
}
