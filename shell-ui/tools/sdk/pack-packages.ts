import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { compilePackages, findPackages } from "./compile-packages.ts";

interface PackageFile {
  name: string;
  exports: Record<string, string>;
  bin?: Record<string, string>;
}

const compiled = (path: string, extension: string) =>
  path.replace(/^\.\/src\//, "./dist/").replace(/\.tsx?$/, extension);

/** The package.json that people get: the compiled files instead of the sources. */
function packedPackageFile(source: string): string {
  const file = JSON.parse(source) as PackageFile;
  const exports = Object.entries(file.exports).map(([name, path]) => [
    name,
    path.endsWith(".css")
      ? compiled(path, "")
      : { types: compiled(path, ".d.ts"), default: compiled(path, ".js") },
  ]);
  const bin = Object.entries(file.bin ?? {}).map(([name, path]) => [name, compiled(path, ".js")]);
  const packed = {
    ...file,
    exports: Object.fromEntries(exports) as object,
    files: ["dist"],
    ...(bin.length > 0 ? { bin: Object.fromEntries(bin) as object } : {}),
  };
  return `${JSON.stringify(packed, null, 2)}\n`;
}

/**
 * Makes a tarball of each package below `<root>/packages` in `out`, as `npm pack` names it. The same sources give the
 * same bytes. `out` is replaced when all are made. No network is asked.
 */
export async function packPackages(root: string, out: string): Promise<void> {
  const packages = await findPackages(root);
  const work = await mkdtemp(join(tmpdir(), "tenon-sdk-"));
  try {
    compilePackages(root, packages, join(work, "compiled"));
    const made = join(work, "made");
    await mkdir(made);
    for (const name of packages) {
      const source = join(root, "packages", name);
      const staged = join(work, "staged", name);
      await mkdir(staged, { recursive: true });
      await cp(join(work, "compiled", name, "src"), join(staged, "dist"), { recursive: true });
      // Exported files that are not compiled.
      await cp(join(source, "src"), join(staged, "dist"), {
        recursive: true,
        filter: (path) => !/\.tsx?$/.test(path),
      });
      const file = await readFile(join(source, "package.json"), "utf8");
      await writeFile(join(staged, "package.json"), packedPackageFile(file));
    }
    // One call: npm takes a second to start.
    await promisify(execFile)(
      "npm",
      [
        ...["pack", "--offline", "--ignore-scripts", "--silent", "--pack-destination", made],
        ...packages.map((name) => `./${name}`),
      ],
      { cwd: join(work, "staged") },
    );
    const fresh = `${out}.new`;
    await rm(fresh, { recursive: true, force: true });
    await mkdir(dirname(out), { recursive: true });
    await cp(made, fresh, { recursive: true });
    await rm(out, { recursive: true, force: true });
    await rename(fresh, out);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
