import { defineConfig } from "vitest/config";

export default defineConfig({
  // Generous: a machine may be busy.
  test: { environment: "jsdom", restoreMocks: true, testTimeout: 60_000 },
});
