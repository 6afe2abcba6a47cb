import { writeSettings, writeTables } from "@tenon/rollup-preset";
import { join } from "node:path";
import { findPlugins, pluginFolder } from "./build/build-plugins.ts";

// npm run tables: src/tables.gen.ts and src/settings.gen.ts of every plugin that has tables or settings.
try {
  for (const id of await findPlugins()) {
    await writeTables(join(pluginFolder, id), id);
    await writeSettings(join(pluginFolder, id), id);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
