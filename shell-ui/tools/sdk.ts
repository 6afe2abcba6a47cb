import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { packPackages } from "./sdk/pack-packages.ts";

// npm run sdk: the packages that plugins outside of this tree install, as tarballs into $TENON_SDK_NPM_OUT (dist/npm).
const root = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");
const out = resolve(process.env.TENON_SDK_NPM_OUT ?? `${root}/dist/npm`);
const begin = performance.now();
try {
  await packPackages(root, out);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
console.log(`packages made in ${((performance.now() - begin) / 1000).toFixed(1)} s`);
