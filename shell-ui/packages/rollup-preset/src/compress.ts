import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip, gzipSync } from "node:zlib";

const compressible = /\.(js|css|json|svg)$/;
const smallest = 512;

/** Writes `.br` and `.gz` next to each text file of a folder if they are smaller. */
export async function compressFolder(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true })) {
    const path = join(folder, entry);
    if (!compressible.test(path) || !(await stat(path)).isFile()) continue;
    const content = await readFile(path);
    if (content.byteLength < smallest) continue;
    const [br, gz] = await Promise.all([
      promisify(brotliCompress)(content, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: 11,
          [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
        },
      }),
      promisify(gzip)(content, { level: 9 }),
    ]);
    if (br.length < content.length) await writeFile(`${path}.br`, br);
    if (gz.length < content.length) await writeFile(`${path}.gz`, gz);
  }
}

export function gzipSize(content: string | Uint8Array): number {
  return gzipSync(content, { level: 9 }).length;
}
