import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { buildPluginUi, findPlugins } from "./build/build-plugins.ts";
import { buildShell } from "./build/build-shell.ts";

// npm run build [-- shell | <plugin>…]: default: all.
const root = fileURLToPath(new URL("..", import.meta.url));
const shellOut = resolve(process.env.TENON_UI_OUT ?? `${root}/dist/ui`);
const pluginsOut = resolve(process.env.TENON_PLUGINS_OUT ?? `${root}/dist/plugins`);

const known = ["shell", ...(await findPlugins())];
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(", ")}. There are ${known.join(", ")}.`);
  process.exit(2);
}

for (const name of wanted.length > 0 ? wanted : known) {
  const begin = performance.now();
  try {
    await (name === "shell" ? buildShell(shellOut) : buildPluginUi(name, pluginsOut));
  } catch (error) {
    console.error(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  }
  console.log(`${name} built in ${((performance.now() - begin) / 1000).toFixed(1)} s`);
}
