/** `board_cards` → `BoardCards`. As in C++: see docs/codegen.md. */
export function upperCamel(name: string): string {
  return name
    .split("_")
    .map((word) => (/^\d/.test(word) ? `_${word}` : word.slice(0, 1).toUpperCase() + word.slice(1)))
    .join("");
}

/** The name of one record of a table. As in C++: see docs/codegen.md. */
export function singular(name: string): string {
  if (name.length > 4 && name.endsWith("ies")) return `${name.slice(0, -3)}y`;
  if (/.(?:ss|x|ch|sh|zz)es$/.test(name)) return name.slice(0, -2);
  const isPlural = name.length > 2 && name.endsWith("s") && !/(?:ss|us|is|_s)$/.test(name);
  return isPlural ? name.slice(0, -1) : name;
}

// What cannot be the name of a constant in a module.
const reserved = new Set(
  (
    "arguments await break case catch class const continue debugger default delete do else enum eval export " +
    "extends false finally for function if implements import in instanceof interface let new null package private " +
    "protected public return static super switch this throw true try typeof undefined var void while with yield"
  ).split(" "),
);

/** Makes the names of a module unique: `_` is appended to those in use or reserved. */
export class NameScope {
  readonly #taken: Set<string>;

  constructor(taken: readonly string[]) {
    this.#taken = new Set(taken);
  }

  has(name: string): boolean {
    return this.#taken.has(name);
  }

  take(name: string): string {
    let free = name;
    while (this.#taken.has(free) || reserved.has(free)) free += "_";
    this.#taken.add(free);
    return free;
  }
}

/** A text as a literal, with the quotes that need fewer escapes. */
export function stringLiteral(text: string): string {
  const doubled = JSON.stringify(text);
  const count = (quote: string) => text.split(quote).length - 1;
  if (count('"') <= count("'")) return doubled;
  return `'${doubled.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

/** A comment of the text, which cannot end it. Nothing for an empty text. */
export function docComment(text: string, indent = ""): string {
  const lines = text
    .replaceAll("*/", "*\\/")
    .split(/[\n\r\u2028\u2029]/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
  if (lines.length === 0) return "";
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join("")}${indent} */\n`;
}
