import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A server with the needed part of tus, which can be made to fail. */
export class TusServer {
  readonly uploads = new Map<string, { length: number; bytes: Buffer }>();
  readonly log: string[] = [];
  /** Cuts the connection of the next PATCH after so many bytes. */
  cutAfter: number | null = null;
  /** Knows an upload no more when its content comes. */
  forgets = false;
  refuse: { status: number; code: string; detail: string } | null = null;
  private readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => void this.respond(request, response));
  }
  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/blobs`;
  }
  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "" } = request;
    const headers = {
      "Tus-Resumable": "1.0.0",
      "Access-Control-Allow-Origin": "*",
      "Access-Control-Allow-Headers": "*",
      "Access-Control-Allow-Methods": "*",
      "Access-Control-Expose-Headers": "*",
    };
    if (method === "OPTIONS") {
      response.writeHead(204, headers).end();
      return;
    }
    this.log.push(`${method} ${url.replace(/^\/blobs/, "")}`);
    if (this.refuse && method === "POST") {
      const { status, code, detail } = this.refuse;
      response
        .writeHead(status, { ...headers, "Content-Type": "application/problem+json" })
        .end(JSON.stringify({ status, code, detail }));
      return;
    }
    if (method === "POST") {
      const id = String(this.uploads.size + 1);
      const length = Number(request.headers["upload-length"]);
      this.uploads.set(id, { length, bytes: Buffer.alloc(0) });
      response.writeHead(201, { ...headers, Location: `/blobs/${id}` }).end();
      return;
    }
    if (this.forgets && method === "PATCH") this.uploads.clear();
    const upload = this.uploads.get(url.split("/").at(-1) ?? "");
    if (!upload) {
      response.writeHead(404, headers).end();
      return;
    }
    if (method === "DELETE") {
      this.uploads.delete(url.split("/").at(-1) ?? "");
      response.writeHead(204, headers).end();
      return;
    }
    if (method === "PATCH") {
      const cut = this.cutAfter;
      for await (const chunk of request as AsyncIterable<Buffer>) {
        upload.bytes = Buffer.concat([upload.bytes, chunk]);
        if (cut === null || upload.bytes.length < cut) continue;
        upload.bytes = upload.bytes.subarray(0, cut);
        this.cutAfter = null;
        request.socket.destroy();
        return;
      }
    }
    const done = upload.bytes.length === upload.length;
    const blob = {
      "Blob-Id": "b".repeat(64),
      "Blob-Size": upload.length,
      "Blob-Type": "image/png",
    };
    response
      .writeHead(method === "PATCH" ? 204 : 200, {
        ...headers,
        "Upload-Offset": upload.bytes.length,
        "Upload-Length": upload.length,
        ...(done && blob),
      })
      .end();
  }
}
