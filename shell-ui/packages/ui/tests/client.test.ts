// @vitest-environment node
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createClient, onProblem, type Client } from "../src/client/client.ts";
import type { Problem } from "../src/client/problem.ts";

let server: Server;
let client: Client;
let received: { method?: string; url?: string; headers: Record<string, unknown>; body: string };

function respond(response: ServerResponse, path: string): void {
  const problem = (status: number, body: object) => {
    response.writeHead(status, { "content-type": "application/problem+json", "retry-after": "7" });
    response.end(JSON.stringify(body));
  };
  if (path.startsWith("/api/notes/echo")) {
    response.writeHead(200, { "content-type": "application/json", etag: '"3"' });
    response.end('{"ok":true}');
  } else if (path === "/api/notes/none") {
    response.writeHead(204).end();
  } else if (path === "/api/notes/text") {
    response.writeHead(200, { "content-type": "text/markdown" }).end("# Hi");
  } else if (path === "/api/notes/conflict") {
    problem(412, {
      code: "notes.conflict",
      detail: "Changed by Bob.",
      request_id: "r1",
      current: { version: 4 },
      errors: [{ field: "title", code: "too_long", message: "Too long." }],
    });
  } else if (path === "/api/notes/broken") {
    response.writeHead(502, { "content-type": "text/html", "x-request-id": "r2" }).end("<h1>");
  } else if (path === "/api/notes/cut") {
    response.writeHead(500, { "content-type": "application/problem+json" }).end('{"code":');
  } else if (path === "/api/notes/slow") {
    // Never responds.
  } else {
    response.destroy();
  }
}

beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method, url, headers } = request;
      received = { method, url, headers, body: Buffer.concat(chunks).toString() };
      respond(response, url ?? "");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  client = createClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api/notes`);
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function failure(promise: Promise<unknown>): Promise<Problem> {
  return promise.then(
    () => Promise.reject(new Error("did not fail")),
    (error: unknown) => error as Problem,
  );
}

describe("createClient", () => {
  it("sends JSON and reads JSON with its ETag", async () => {
    const { data, etag } = await client.request("PATCH", "echo/1", { a: 1 }, { ifMatch: '"2"' });
    expect(data).toEqual({ ok: true });
    expect(etag).toBe('"3"');
    expect(received).toMatchObject({ method: "PATCH", url: "/api/notes/echo/1", body: '{"a":1}' });
    expect(received.headers).toMatchObject({
      "content-type": "application/json",
      "if-match": '"2"',
    });
  });

  it("omits absent query values and encodes the rest", async () => {
    await client.get("echo", { query: { q: "a&b", cursor: null, limit: 5, tag: undefined } });
    expect(received.url).toBe("/api/notes/echo?q=a%26b&limit=5");
  });

  it("omits body and type when there is none", async () => {
    await client.post("echo");
    expect(received.body).toBe("");
    expect(received.headers).not.toHaveProperty("content-type");
  });

  it("reads empty and text responses", async () => {
    expect(await client.delete("none")).toBeUndefined();
    expect(await client.get("text")).toBe("# Hi");
  });

  it("rejects with the problem's details", async () => {
    const problem = await failure(client.get("conflict"));
    expect(problem).toMatchObject({
      name: "Problem",
      status: 412,
      code: "notes.conflict",
      message: "Changed by Bob.",
      requestId: "r1",
      retryAfter: 7,
      fields: { title: "Too long." },
    });
    expect(problem.request).toMatch(/^GET .*\/api\/notes\/conflict$/);
    expect(problem.body.current).toEqual({ version: 4 });
  });

  it("hides messages of proxies and truncated responses", async () => {
    const broken = await failure(client.get("broken"));
    expect(broken).toMatchObject({ status: 502, code: "http.502", requestId: "r2" });
    expect(broken.message).not.toMatch(/</);
    expect(await failure(client.get("cut"))).toMatchObject({ status: 500, code: "http.500" });
  });

  it("reports status 0 without a response", async () => {
    expect(await failure(client.get("gone"))).toMatchObject({ status: 0, code: "client.offline" });
  });

  it("rejects with the abort reason", async () => {
    const listener = vi.fn();
    const stop = onProblem(listener);
    const abort = new AbortController();
    const pending = client.get("slow", { signal: abort.signal });
    abort.abort(new Error("enough"));
    await expect(pending).rejects.toThrow("enough");
    expect(listener).not.toHaveBeenCalled();
    stop();
  });

  it("notifies listeners of problems until they unsubscribe", async () => {
    const listener = vi.fn();
    const stop = onProblem(listener);
    await failure(client.get("conflict"));
    stop();
    await failure(client.get("conflict"));
    expect(listener).toHaveBeenCalledOnce();
  });

  it("builds full paths for links", () => {
    expect(createClient("/api/notes").url("export", { notebook: "1" })).toBe(
      "/api/notes/export?notebook=1",
    );
    expect(createClient("/api/notes").url("/api/core/shell")).toBe("/api/core/shell");
  });
});
