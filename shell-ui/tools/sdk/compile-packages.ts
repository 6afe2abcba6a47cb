import { readdir } from "node:fs/promises";
import { join } from "node:path";
import ts from "typescript";

/** Folders of `packages`, sorted. */
export async function findPackages(root: string): Promise<string[]> {
  const entries = await readdir(join(root, "packages"), { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

/**
 * JavaScript and declarations of all packages into `<out>/<package>/src`: Node reads no TypeScript below
 * `node_modules`. Throws an Error with what the compiler says.
 */
export function compilePackages(root: string, packages: readonly string[], out: string): void {
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), (path) =>
    ts.sys.readFile(path),
  ) as { config: object };
  const { options } = ts.convertCompilerOptionsFromJson(
    (config as { compilerOptions: object }).compilerOptions,
    root,
  );
  const files = packages.flatMap((name) =>
    ts.sys.readDirectory(join(root, "packages", name, "src"), [".ts", ".tsx"]),
  );
  const program = ts.createProgram([...files, join(root, "css.d.ts")], {
    ...options,
    noEmit: false,
    allowImportingTsExtensions: false,
    rewriteRelativeImportExtensions: true,
    declaration: true,
    rootDir: join(root, "packages"),
    outDir: out,
  });
  const { diagnostics } = program.emit(undefined, undefined, undefined, false, {
    before: [withoutStyles],
    afterDeclarations: [withoutStyles],
  });
  const all = [...ts.getPreEmitDiagnostics(program), ...diagnostics];
  if (all.length > 0) {
    throw new Error(
      ts.formatDiagnostics(all, {
        getCanonicalFileName: (name) => name,
        getCurrentDirectory: () => root,
        getNewLine: () => "\n",
      }),
    );
  }
}

/** The page has the styles of shared modules; Node, in a test of a plugin, reads none. */
function withoutStyles<T extends ts.Node>(context: ts.TransformationContext): ts.Transformer<T> {
  const isStyle = (statement: ts.Statement) =>
    ts.isImportDeclaration(statement) &&
    !statement.importClause &&
    ts.isStringLiteral(statement.moduleSpecifier) &&
    statement.moduleSpecifier.text.endsWith(".css");
  return (node) => {
    if (!ts.isSourceFile(node)) return node;
    const statements = node.statements.filter((statement) => !isStyle(statement));
    return context.factory.updateSourceFile(node, statements) as ts.Node as T;
  };
}
