import { transform } from "esbuild";
import { readFile } from "node:fs/promises";
import { existsSync, statSync } from "node:fs";
import { dirname, extname, resolve } from "node:path";
import type { Plugin } from "rollup";

export const browserTarget = ["chrome125", "firefox128", "safari17.5"];

const sources = /\.(tsx?|jsx)$/;
const extensions = [".ts", ".tsx", ".js", ".jsx"];

function asFile(path: string): string | null {
  if (existsSync(path) && statSync(path).isFile()) return path;
  for (const extension of extensions) if (existsSync(path + extension)) return path + extension;
  for (const extension of extensions) {
    const index = resolve(path, `index${extension}`);
    if (existsSync(index)) return index;
  }
  return null;
}

/** TypeScript and JSX to JavaScript by esbuild; types are checked elsewhere. */
export function typescript({ development = false } = {}): Plugin {
  return {
    name: "tenon:typescript",
    resolveId(source, importer) {
      if (!importer || !source.startsWith(".") || extname(importer) === "") return null;
      if (importer.startsWith("\0")) return null;
      return asFile(resolve(dirname(importer), source));
    },
    async load(id) {
      if (!sources.test(id)) return null;
      const { code, map } = await transform(await readFile(id, "utf8"), {
        loader: id.endsWith(".ts") ? "ts" : "tsx",
        sourcefile: id,
        sourcemap: true,
        target: browserTarget,
        jsx: "automatic",
        jsxDev: development,
      });
      return { code, map };
    },
  };
}

/** Replaces `process.env.NODE_ENV`, which libraries ask for. */
export function environment({ development = false } = {}): Plugin {
  const value = JSON.stringify(development ? "development" : "production");
  return {
    name: "tenon:environment",
    transform(code) {
      if (!code.includes("process.env.NODE_ENV")) return null;
      return { code: code.replaceAll("process.env.NODE_ENV", value), map: null };
    },
  };
}

export function minify(): Plugin {
  return {
    name: "tenon:minify",
    async renderChunk(code) {
      const result = await transform(code, {
        minify: true,
        format: "esm",
        target: browserTarget,
        legalComments: "none",
        define: { "process.env.NODE_ENV": '"production"' },
      });
      return { code: result.code, map: null };
    },
  };
}
