import { defineConfig } from "vitest/config";

export default defineConfig({
  // Long, because the machine may be busy.
  test: { environment: "jsdom", restoreMocks: true, testTimeout: 60_000 },
});
