import type { BuildReport } from "./build-overlay.tsx";

/** An error of a plugin at run time, as `tenon dev` reports it. */
export interface RuntimeError {
  plugin: string;
  message: string;
  /** Method and pattern; empty outside of requests. */
  route: string;
  request_id: string;
  /** Fields of the log line: `code`, `reason`, `statement`. */
  details: Readonly<Record<string, string>>;
}

/** The report with an error added. Errors of one request are shown together. */
export function withError(before: BuildReport | null, error: RuntimeError): BuildReport {
  const { plugin, message, route, request_id: request, details } = error;
  const { code, ...others } = details;
  const lines = [message, ...Object.entries(others).map(([name, value]) => `  ${name}: ${value}`)];
  const text = lines.join("\n");
  if (before && !before.isRuntime) return before;
  if (before && request && before.request === request)
    return { ...before, message: `${before.message}\n${text}`, code: before.code ?? code };
  return {
    title: route ? `${route} failed` : `${plugin} failed`,
    message: text,
    code,
    request,
    isRuntime: true,
  };
}
