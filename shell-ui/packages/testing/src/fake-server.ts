/** A request as a handler gets it. */
export interface FakeRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Headers;
  /** Parsed JSON, or the text. */
  body: unknown;
  /** Parts of the path that the route names with `:`. */
  params: Readonly<Record<string, string>>;
}

/** A response with a status; any other value that a handler returns is sent as JSON with 200. */
export class Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body?: unknown, headers: Readonly<Record<string, string>> = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

export type FakeHandler = (request: FakeRequest) => unknown;

export interface FakeServer {
  /** The requests, in order. */
  readonly requests: readonly FakeRequest[];
  /** Adds or replaces handlers. */
  use(handlers: Readonly<Record<string, FakeHandler>>): void;
  /** Every request fails, as without a network. */
  offline: boolean;
  /** Puts `fetch` back. */
  close(): void;
}

function matchPath(pattern: string, path: string): Record<string, string> | null {
  const wanted = pattern.split("/");
  const given = path.split("/");
  if (wanted.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? "";
    if (part.startsWith(":")) params[part.slice(1)] = decodeURIComponent(value);
    else if (part !== value) return null;
  }
  return params;
}

/**
 * Responds to `fetch` in a test. Handlers are named by method and path, `"GET /api/notes/notes/:id"`; any other
 * request gets 404, as from the host.
 */
export function fakeServer(handlers: Readonly<Record<string, FakeHandler>>): FakeServer {
  const routes = new Map(Object.entries(handlers));
  const requests: FakeRequest[] = [];
  const before = globalThis.fetch;
  const server: FakeServer = {
    requests,
    offline: false,
    use(more) {
      for (const [route, handler] of Object.entries(more)) routes.set(route, handler);
    },
    close() {
      globalThis.fetch = before;
    },
  };

  globalThis.fetch = async (input, init) => {
    const request = new Request(
      new URL(input instanceof Request ? input.url : input, "http://tenon.test"),
      init,
    );
    const { pathname: path, searchParams: query } = new URL(request.url);
    if (server.offline) throw new TypeError("Failed to fetch");
    const text = await request.text();
    const isJson = request.headers.get("content-type")?.includes("json") ?? false;
    for (const [route, handler] of routes) {
      const [method, pattern = ""] = route.split(" ");
      const params = method === request.method && matchPath(pattern, path);
      if (!params) continue;
      const { method: verb, headers } = request;
      const asked = {
        method: verb,
        path,
        query,
        headers,
        params,
        body: isJson ? JSON.parse(text) : text,
      };
      requests.push(asked);
      return toResponse(await handler(asked));
    }
    const body = { status: 404, code: "http.not_found", title: `${request.method} ${path}` };
    return toResponse(new Reply(404, body));
  };
  return server;
}

function toResponse(result: unknown): Response {
  const { status, body, headers } = result instanceof Reply ? result : new Reply(200, result);
  const type = status >= 400 ? "application/problem+json" : "application/json";
  if (body === undefined)
    return new Response(null, { status: status === 200 ? 204 : status, headers });
  return new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": type, ...headers },
  });
}
