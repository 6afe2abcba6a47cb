import { Problem, problemFrom } from "./problem.ts";

export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface RequestOptions {
  query?: Query;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
  /** Sends `If-Match`; a stale one fails with status 412. */
  ifMatch?: string;
  /** Lets the request outlive the tab (bodies up to 64 KiB). */
  keepalive?: boolean;
}

export interface UploadOptions extends RequestOptions {
  method?: "POST" | "PUT";
  contentType?: string;
  /** 0 to 1, while the body is sent. */
  onProgress?(sent: number): void;
}

/** A page of a list. */
export interface ListPage<T> {
  items: readonly T[];
  next: string | null;
  total?: number;
  /** There are at least `total`; without it, `total` is exact. */
  total_is?: "at_least";
  /** A search ranked the most recent matches only. */
  ranked?: "recent";
}

/** A response with its headers, for callers that need an ETag. */
export interface ApiResponse<T> {
  data: T;
  etag: string | null;
  headers: Headers;
}

/**
 * Talks to the host. Paths are relative to the client's base; one that begins with `/` is not.
 * Everything that is no 2xx rejects with a `Problem`; an aborted request with the signal's reason.
 */
export interface Client {
  get<T>(path: string, options?: RequestOptions): Promise<T>;
  post<T>(path: string, body?: unknown, options?: RequestOptions): Promise<T>;
  put<T>(path: string, body?: unknown, options?: RequestOptions): Promise<T>;
  patch<T>(path: string, body: unknown, options?: RequestOptions): Promise<T>;
  delete<T = void>(path: string, options?: RequestOptions): Promise<T>;
  /** With headers. */
  request<T>(
    method: string,
    path: string,
    body?: unknown,
    options?: RequestOptions,
  ): Promise<ApiResponse<T>>;
  /** Sends a file or form with progress. */
  upload<T>(path: string, body: Blob | FormData, options?: UploadOptions): Promise<T>;
  /** The full path, for a link or a download. */
  url(path: string, query?: Query): string;
}

/** Called with problems that concern more than the caller, such as the end of the session. */
export type ProblemListener = (problem: Problem) => void;

const listeners = new Set<ProblemListener>();

/** Follows every failed request of every client in the tab. */
export function onProblem(listener: ProblemListener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function fail(problem: Problem): never {
  for (const listener of listeners) listener(problem);
  throw problem;
}

function offline(request: string): Problem {
  return new Problem({
    status: 0,
    code: "client.offline",
    message: "The server cannot be reached. Check your connection.",
    request,
  });
}

function asBody(body: unknown): { body?: BodyInit; type?: string } {
  if (body === undefined) return {};
  if (body instanceof Blob || body instanceof FormData || body instanceof URLSearchParams)
    return { body };
  if (typeof body === "string") return { body, type: "text/plain; charset=utf-8" };
  return { body: JSON.stringify(body), type: "application/json" };
}

function readBody(type: string | null, text: string): unknown {
  if (text === "") return undefined;
  return /[/+]json/.test(type ?? "") ? JSON.parse(text) : text;
}

export function createClient(base: string): Client {
  const url = (path: string, query: Query = {}) => {
    const full = path.startsWith("/") ? path : path ? `${base}/${path}` : base;
    const given = Object.entries(query).filter(
      ([, value]) => value !== undefined && value !== null,
    );
    if (given.length === 0) return full;
    const search = new URLSearchParams(given.map(([key, value]) => [key, String(value)]));
    return `${full}${full.includes("?") ? "&" : "?"}${search.toString()}`;
  };

  const headersOf = (options: RequestOptions, type?: string) => ({
    Accept: "application/json",
    ...(type && { "Content-Type": type }),
    ...(options.ifMatch && { "If-Match": options.ifMatch }),
    ...options.headers,
  });

  async function request<T>(
    method: string,
    path: string,
    body?: unknown,
    options: RequestOptions = {},
  ) {
    const name = `${method} ${url(path)}`;
    const sent = asBody(body);
    let response: Response;
    let text: string;
    try {
      response = await fetch(url(path, options.query), {
        method,
        headers: headersOf(options, sent.type),
        body: sent.body,
        signal: options.signal,
        keepalive: options.keepalive,
        credentials: "same-origin",
      });
      text = await response.text();
    } catch (error) {
      if (options.signal?.aborted) throw error;
      return fail(offline(name));
    }
    if (!response.ok) return fail(problemFrom(response.status, response.headers, text, name));
    const data = readBody(response.headers.get("content-type"), text) as T;
    return { data, etag: response.headers.get("etag"), headers: response.headers };
  }

  const data =
    (method: string) =>
    async <T>(path: string, body?: unknown, options?: RequestOptions) =>
      (await request<T>(method, path, body, options)).data;

  return {
    url,
    request,
    get: async <T>(path: string, options?: RequestOptions) =>
      (await request<T>("GET", path, undefined, options)).data,
    delete: async <T = void>(path: string, options?: RequestOptions) =>
      (await request<T>("DELETE", path, undefined, options)).data,
    post: data("POST"),
    put: data("PUT"),
    patch: data("PATCH"),
    upload: <T>(path: string, body: Blob | FormData, options: UploadOptions = {}) =>
      upload<T>(url(path, options.query), body, options, headersOf(options, options.contentType)),
  };
}

/** Sends with XMLHttpRequest: `fetch` does not report upload progress. */
function upload<T>(
  url: string,
  body: Blob | FormData,
  { method = "POST", onProgress, signal }: UploadOptions,
  headers: Record<string, string>,
): Promise<T> {
  const name = `${method} ${url}`;
  return new Promise<T>((resolve, reject) => {
    const fail = (problem: Problem) => {
      for (const listener of listeners) listener(problem);
      reject(problem);
    };
    const xhr = new XMLHttpRequest();
    xhr.open(method, url);
    for (const [key, value] of Object.entries(headers)) xhr.setRequestHeader(key, value);
    xhr.upload.onprogress = (event) =>
      event.lengthComputable && onProgress?.(event.loaded / event.total);
    xhr.onerror = () => fail(offline(name));
    xhr.onabort = () => reject(signal?.reason as Error);
    xhr.onload = () => {
      const response = { get: (key: string) => xhr.getResponseHeader(key) };
      if (xhr.status < 200 || xhr.status > 299) {
        fail(problemFrom(xhr.status, response, xhr.responseText, name));
      } else {
        resolve(readBody(response.get("content-type"), xhr.responseText) as T);
      }
    };
    if (signal?.aborted) {
      reject(signal.reason as Error);
      return;
    }
    signal?.addEventListener("abort", () => xhr.abort(), { once: true });
    xhr.send(body);
  });
}
