import { defineConfig } from "vitest/config";

const browser = ["packages/{host,ui,testing}/tests/**", "shell/tests/**", "plugins/*/tests/**"];
const node = ["packages/rollup-preset/tests/**", "tests/*.test.ts"];
// Those that need a page of their own: they read its history, its frames and its focus.
const alone = ["app", "history", "offline", "plugin-update"].map(
  (name) => `shell/tests/${name}.test.{ts,tsx}`,
);
const suffix = (patterns: readonly string[]) =>
  patterns.map((pattern) => pattern.replace("/**", "/**/*.test.{ts,tsx}"));
// Long enough for a machine that is busy with other work.
const timeouts = { testTimeout: 120_000, hookTimeout: 300_000 };
const page = { environment: "jsdom", setupFiles: "tests/browser-setup.ts", ...timeouts };

export default defineConfig({
  // plugin-ui is next to this folder.
  server: { fs: { allow: [".."] } },
  // Tests of pages run in Node, for which it has another build.
  resolve: { alias: { "tus-js-client": "tus-js-client/lib.esm/browser/index.js" } },
  test: {
    restoreMocks: true,
    projects: [
      {
        test: {
          name: "browser",
          ...page,
          include: suffix(browser),
          exclude: alone,
          // One page for all files of a worker: with one for each file jsdom takes three quarters of the time.
          isolate: false,
        },
      },
      { test: { name: "page", ...page, include: alone } },
      { test: { name: "node", environment: "node", include: suffix(node), ...timeouts } },
    ],
  },
});
