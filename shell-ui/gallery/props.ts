import { fileURLToPath } from "node:url";
import ts from "typescript";

export interface Prop {
  name: string;
  type: string;
  required: boolean;
  text: string;
}

export interface ComponentProps {
  name: string;
  text: string;
  /** Those that `@tenon/ui` declares. */
  props: readonly Prop[];
  /** The element or component whose other props it takes: `button`. */
  rest?: string;
}

const root = fileURLToPath(new URL("..", import.meta.url));
const sources = `${root}packages/ui/src/`;

/** The props of these exports of `@tenon/ui`, by name, from the types. Throws if one is missing. */
export function readProps(names: readonly string[]): Map<string, ComponentProps> {
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, (path) => ts.sys.readFile(path)) as {
    config: { compilerOptions: object };
  };
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  const files = ts.sys.readDirectory(sources, ["index.ts"]);
  const program = ts.createProgram([...files, `${root}css.d.ts`], { ...options, types: [] });
  const checker = program.getTypeChecker();
  const found = new Map<string, ComponentProps>();
  for (const file of files) {
    const source = program.getSourceFile(file);
    const symbol = source && checker.getSymbolAtLocation(source);
    for (const exported of symbol ? checker.getExportsOfModule(symbol) : [])
      if (names.includes(exported.name)) found.set(exported.name, propsOf(checker, exported));
  }
  for (const name of names) if (!found.has(name)) throw new Error(`@tenon/ui exports no ${name}`);
  return found;
}

function propsOf(checker: ts.TypeChecker, exported: ts.Symbol): ComponentProps {
  const symbol =
    exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
  const text = ts.displayPartsToString(symbol.getDocumentationComment(checker));
  const [signature] = checker.getTypeOfSymbol(symbol).getCallSignatures();
  const parameter = signature?.getParameters()[0];
  const declaration = symbol.declarations?.[0];
  if (!parameter || !declaration?.getSourceFile().fileName.startsWith(sources))
    return { name: exported.name, text, props: [] };
  const type = checker.getTypeOfSymbol(parameter);
  const node = (parameter.valueDeclaration as ts.ParameterDeclaration | undefined)?.type;
  const rest = node && /ComponentProps<(?:typeof )?"?(\w+)"?>/.exec(expanded(checker, node))?.[1];
  const props = checker
    .getPropertiesOfType(type)
    .filter((prop) =>
      prop.declarations?.some((one) => one.getSourceFile().fileName.startsWith(sources)),
    )
    .map((prop): Prop => ({
      name: prop.name,
      type: typeOf(checker, prop),
      required: !(prop.flags & ts.SymbolFlags.Optional),
      text: ts.displayPartsToString(prop.getDocumentationComment(checker)).replace(/\s+/g, " "),
    }));
  return { name: exported.name, text: text.replace(/\s+/g, " "), props, ...(rest ? { rest } : {}) };
}

/** The text of a type and of the interfaces that it extends. */
function expanded(checker: ts.TypeChecker, node: ts.TypeNode): string {
  const declarations = checker.getTypeFromTypeNode(node).symbol?.declarations ?? [];
  return [
    node.getText(),
    ...declarations
      .filter(ts.isInterfaceDeclaration)
      .flatMap(({ heritageClauses }) => heritageClauses ?? [])
      .flatMap(({ types }) => types)
      .map(
        (type) =>
          `${type.getText()} ${type.getText() === node.getText() ? "" : expanded(checker, type)}`,
      ),
  ].join(" ");
}

/** The type as it is written, for a reader knows the names of the source. */
function typeOf(checker: ts.TypeChecker, prop: ts.Symbol): string {
  const declaration = prop.valueDeclaration;
  if (declaration && ts.isPropertySignature(declaration) && declaration.type)
    return declaration.type.getText().replace(/\s+/g, " ");
  return checker
    .typeToString(checker.getTypeOfSymbol(prop), undefined, ts.TypeFormatFlags.NoTruncation)
    .replace(/ \| undefined$/, "");
}
