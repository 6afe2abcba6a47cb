// Pages of the reference, from the comments of the sources.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The text of a comment without its marks. */
function plain(comment) {
  return comment
    .replace(/^\s*\/\*\*?/, "")
    .replace(/\*\/\s*$/, "")
    .split("\n")
    .map((line) => line.replace(/^\s*(\*|\/\/\/) ?/, ""))
    .join("\n")
    .trim();
}

/** Names in brackets of the C ABI's comments are terms: "[thread] any". */
const asText = (text) => text.replace(/\[(thread|state|memory)\]/g, "**$1**:");

function nameOf(code) {
  const patterns = [
    /^(?:template\s*<[^{;]*>\s*(?:requires[^{;]*)?)?(?:class|struct|enum class|enum|union)\s+(\w+)/,
    /^typedef (?:struct|union|enum) (\w+)/,
    /^typedef .*?(\w+);/,
    /^#define (\w+)/,
    /^using (\w+)/,
    /(?:^|[\s*&>])(~?\w+|operator\S+)\s*\(/,
    /(\w+)\s*(?:=|\{|;)/,
  ];
  const text = code.replace(/^\s*template\s*<[^>]*(?:<[^>]*>[^>]*)*>\s*/, "").trim();
  for (const pattern of patterns) {
    const found = pattern.exec(text);
    if (found) return found[1];
  }
  return undefined;
}

/** The declaration that begins at a line: to the end of its braces, or to its semicolon. */
function declarationAt(lines, first) {
  let depth = 0;
  for (let at = first; at < lines.length; at++) {
    const code = lines[at]
      .replace(/\/\/.*$|\/\*.*?\*\//g, "")
      .replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, "");
    depth += (code.match(/[{(]/g) ?? []).length - (code.match(/[})]/g) ?? []).length;
    const isDefine = lines[first].startsWith("#define");
    if (isDefine ? !lines[at].endsWith("\\") : depth <= 0 && /[;}]\s*(\w+;)?\s*$/.test(code))
      return at;
  }
  return lines.length - 1;
}

/** Documented declarations at the outermost level, those of namespaces for the implementation left out. */
function* documented(text) {
  const lines = text.split("\n");
  let isDetail = false;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at];
    if (/^namespace detail\b/.test(line)) isDetail = true;
    if (/^}\s*\/\/ namespace detail/.test(line)) isDetail = false;
    if (isDetail || !/^(\/\*\*|\/\/\/)/.test(line)) continue;
    const first = at;
    if (line.startsWith("///")) while (lines[at + 1]?.startsWith("///")) at++;
    else while (!lines[at].includes("*/")) at++;
    const comment = plain(lines.slice(first, at + 1).join("\n"));
    const begin = at + 1;
    if (begin >= lines.length || lines[begin].trim() === "") continue;
    const end = declarationAt(lines, begin);
    const code = lines.slice(begin, end + 1).join("\n");
    at = end;
    yield { comment, code, name: nameOf(code) };
  }
}

function sourcePage(text, title, include, language) {
  let page = `# ${title}\n\n`;
  const intro = /^\s*\/\*(?!\*)([\s\S]*?)\*\//.exec(text);
  if (intro) page += `${asText(plain(`/*${intro[1]}*/`))}\n\n`;
  page += `\`\`\`${language}\n#include <${include}>\n\`\`\`\n`;
  for (const { comment, code, name } of documented(text))
    if (name) page += `\n## ${name}\n\n${asText(comment)}\n\n\`\`\`${language}\n${code}\n\`\`\`\n`;
  return page;
}

export const cHeaderPage = (text, title) => sourcePage(text, title, `tenon/${title}`, "c");
export const cppHeaderPage = (text, title) => sourcePage(text, title, `tenon/${title}`, "cpp");

/** The exported declarations of a package; of functions their signatures. */
export function typescriptPage(folder, name) {
  const files = readdirSync(folder, { recursive: true })
    .map(String)
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.|\.d\.ts$/.test(file))
    .sort();
  let page = `# ${name}\n`;
  const seen = new Set();
  for (const file of files) {
    const text = readFileSync(join(folder, file), "utf8");
    for (const match of text.matchAll(
      /(\/\*\*(?:(?!\*\/)[\s\S])*\*\/)\s*\nexport (?:default )?(?:async )?(interface|type|function|const|class) (\w+)/g,
    )) {
      const [, comment, kind, id] = match;
      if (seen.has(id)) continue;
      seen.add(id);
      const begin =
        match.index +
        match[1].length +
        /^\s*\n/.exec(text.slice(match.index + match[1].length))[0].length;
      page += `\n## ${id}\n\n${asText(plain(comment))}\n\n\`\`\`ts\n${signature(text.slice(begin), kind)}\n\`\`\`\n`;
    }
  }
  return page;
}

function signature(text, kind) {
  const lines = text.split("\n");
  if (kind === "interface" || kind === "type")
    return lines.slice(0, blockEnd(lines) + 1).join("\n");
  // Up to the body: the first "{" or "=>" after the closing parenthesis of the parameters.
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "(" || text[at] === "<") depth++;
    if (text[at] === ")" || (text[at] === ">" && text[at - 1] !== "=")) depth--;
    const isEnd =
      depth === 0 &&
      (text.startsWith(" {", at) || text.startsWith(" =>", at) || text.startsWith(";\n", at));
    if (isEnd && text.slice(0, at).includes(kind === "const" ? "=" : "(")) return text.slice(0, at);
    if (kind === "class" && text[at] === "{") return text.slice(0, at).trim();
  }
  return lines[0];
}

function blockEnd(lines) {
  let depth = 0;
  for (let at = 0; at < lines.length; at++) {
    depth += (lines[at].match(/[{([]/g) ?? []).length - (lines[at].match(/[})\]]/g) ?? []).length;
    if (depth <= 0 && /[;}]\s*$/.test(lines[at])) return at;
  }
  return lines.length - 1;
}

export const cell = (text) => String(text).replace(/\|/g, "\\|").replace(/\n/g, " ");

function limitsOf(schema) {
  const shown = [
    "enum",
    "const",
    "pattern",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "maxItems",
    "default",
  ];
  return shown
    .filter((key) => schema[key] !== undefined)
    .map((key) => `${key} \`${JSON.stringify(schema[key])}\``)
    .join(", ");
}

/** A table of the members of each object of a JSON Schema. */
export function schemaPage(text, title) {
  const schema = JSON.parse(text);
  const name = title.replace(".schema.json", ".json");
  let page =
    `# ${name}\n\n${cell(schema.description ?? "")}\n\nEditors use the schema with ` +
    `\`"$schema": "…/share/tenon/sdk/schema/${title}"\`.\n`;
  const follow = (one) =>
    one.$ref ? { ...schema.$defs[one.$ref.split("/").at(-1)], ...one } : one;
  const visit = (one, path, depth) => {
    const object = follow(one);
    const items = object.items ? follow(object.items) : undefined;
    if (items && depth < 8) return visit(object.items, `${path}[]`, depth + 1);
    if (!object.properties || depth > 8) return;
    page += `\n## ${path || "The file"}\n\n| member | type | meaning | limits |\n|---|---|---|---|\n`;
    const nested = [];
    for (const [key, value] of Object.entries(object.properties)) {
      const member = follow(value);
      const required = object.required?.includes(key) ? " (required)" : "";
      page += `| \`${key}\`${required} | ${cell(member.type ?? "")} | ${cell(member.description ?? "")} | ${cell(limitsOf(member))} |\n`;
      nested.push([value, path ? `${path}.${key}` : key]);
    }
    for (const [value, at] of nested) visit(value, at, depth + 1);
  };
  visit(schema, "", 0);
  return page;
}
