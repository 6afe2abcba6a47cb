import { defineConfig } from "vitest/config";

const browser = ["packages/{host,ui,testing}/tests/**", "shell/tests/**", "plugins/*/tests/**"];
const node = ["packages/rollup-preset/tests/**", "tests/*.test.ts"];
const suffix = (patterns: readonly string[]) =>
  patterns.map((pattern) => pattern.replace("/**", "/**/*.test.{ts,tsx}"));

export default defineConfig({
  // plugin-ui lies beside this folder.
  server: { fs: { allow: [".."] } },
  // Tests of pages run in Node, for which it has another build.
  resolve: { alias: { "tus-js-client": "tus-js-client/lib.esm/browser/index.js" } },
  test: {
    restoreMocks: true,
    projects: [
      { test: { name: "browser", environment: "jsdom", include: suffix(browser) } },
      {
        test: {
          name: "node",
          environment: "node",
          include: suffix(node),
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
