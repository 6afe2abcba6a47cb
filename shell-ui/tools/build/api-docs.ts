import { contentHash, integrityOf } from "@tenon/rollup-preset";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle } from "./bundle.ts";
import { bundleStyles } from "./styles.ts";

export interface ApiDocs {
  /** Files by hashed name. */
  assets: ReadonlyMap<string, string>;
  page: string;
}

export interface ApiDocsOptions {
  /** Folder with `api-docs.ts` and `api-docs.css`. */
  source: string;
  /** URL of the assets. */
  base: string;
  icon: string;
}

const packaged = (name: string) =>
  readFile(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`)), "utf8");
const withoutMap = (text: string) => text.replace(/\n?\/[/*]# sourceMappingURL=.*$/m, "");

/** The page at /api/docs: Swagger UI as it is published, and what starts it. It shares nothing with the shell's page. */
export async function apiDocs({ source, base, icon }: ApiDocsOptions): Promise<ApiDocs> {
  const [viewer, viewerStyles, styles, chunks] = await Promise.all([
    packaged("swagger-ui-bundle.js"),
    packaged("swagger-ui.css"),
    bundleStyles(join(source, "api-docs.css")),
    bundle({ entries: { "api-docs": join(source, "api-docs.ts") } }),
  ]);
  const [start] = chunks;
  if (!start || chunks.length > 1) throw new Error("the page of the API is one chunk");
  const assets = new Map<string, string>();
  const add = (name: string, ending: string, text: string) => {
    const fileName = `${name}.${contentHash(text)}.${ending}`;
    assets.set(fileName, text);
    return `"${base}${fileName}" integrity="${integrityOf(text)}"`;
  };
  // The Integrity-Policy takes no script that is fetched without CORS, which is what a module always is.
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API</title>
<link rel="icon" href="${icon}">
<link rel="stylesheet" href=${add("swagger-ui", "css", withoutMap(viewerStyles))}>
<link rel="stylesheet" href=${add("api-docs", "css", styles)}>
<script defer src=${add("swagger-ui", "js", withoutMap(viewer))} crossorigin></script>
<script type="module" src=${add("api-docs", "js", start.code)} blocking="render"></script>
</head>
<body>
<nav class="api-docs-bar"><a href="/">← Back</a></nav>
<div id="api"></div>
<noscript>This page needs JavaScript. The API description is at /api/core/openapi.json.</noscript>
</body>
</html>
`;
  return { assets, page };
}
