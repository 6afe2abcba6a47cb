import { createHash } from "node:crypto";

/** Subresource integrity of a file's bytes. */
export function integrityOf(content: string | Uint8Array): string {
  return `sha384-${createHash("sha384").update(content).digest("base64")}`;
}

/** Ten signs for a file name that change with its content. */
export function contentHash(content: string | Uint8Array): string {
  return createHash("sha256")
    .update(content)
    .digest("base64url")
    .replace(/[-_]/g, "x")
    .slice(0, 10);
}
