/** One wrong field of a request. */
export interface FieldError {
  field: string;
  code: string;
  message: string;
}

interface ProblemInit {
  status: number;
  code: string;
  message: string;
  errors?: readonly FieldError[];
  requestId?: string;
  retryAfter?: number;
  request?: string;
  body?: Readonly<Record<string, unknown>>;
}

/**
 * A failed request: an RFC 9457 response, or status 0 if there was no response.
 * `message` may be shown; `code` is stable (`records.validation`, `client.offline`).
 */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly errors: readonly FieldError[];
  readonly requestId?: string;
  /** Seconds after which it may work. */
  readonly retryAfter?: number;
  /** Method and path. */
  readonly request?: string;
  /** All members of the response, including those that a route adds. */
  readonly body: Readonly<Record<string, unknown>>;

  constructor(init: ProblemInit) {
    super(init.message);
    this.name = "Problem";
    this.status = init.status;
    this.code = init.code;
    this.errors = init.errors ?? [];
    this.requestId = init.requestId;
    this.retryAfter = init.retryAfter;
    this.request = init.request;
    this.body = init.body ?? {};
  }

  /** Message per field, for a form. */
  get fields(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.errors.map(({ field, message }) => [field, message]));
  }
}

const byStatus: Record<number, string> = {
  401: "You are signed out.",
  403: "You do not have permission to do this.",
  404: "This does not exist, or you do not have access.",
  409: "Someone else changed this at the same time. Reload and try again.",
  412: "Someone else changed this at the same time. Reload and try again.",
  413: "This is too large.",
  429: "Too many attempts. Wait a moment and try again.",
  503: "This is temporarily unavailable. Try again in a moment.",
};

/** Reads what a failed response says of itself. */
export function problemFrom(
  status: number,
  headers: Pick<Headers, "get">,
  body: string,
  request: string,
): Problem {
  let parsed: Record<string, unknown> = {};
  if (/[/+]json/.test(headers.get("content-type") ?? "")) {
    try {
      const value: unknown = JSON.parse(body);
      if (value && typeof value === "object") parsed = value as Record<string, unknown>;
    } catch {
      // Cut off on its way: the status says enough.
    }
  }
  const text = (key: string) => (typeof parsed[key] === "string" ? parsed[key] : undefined);
  const retryAfter = Number(headers.get("retry-after") ?? NaN);
  return new Problem({
    status,
    code: text("code") ?? `http.${status}`,
    message:
      text("detail") ?? text("title") ?? byStatus[status] ?? "The request failed. Try again.",
    errors: Array.isArray(parsed.errors) ? (parsed.errors as FieldError[]) : [],
    requestId: text("request_id") ?? headers.get("x-request-id") ?? undefined,
    retryAfter: Number.isFinite(retryAfter) ? retryAfter : undefined,
    request,
    body: parsed,
  });
}
