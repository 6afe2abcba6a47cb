import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { docComment, stringLiteral, upperCamel } from "./table-names.ts";
import { union } from "./tables.ts";

/** The members of a property of the schema that determine its type. */
interface Property {
  type?: unknown;
  enum?: unknown;
  items?: unknown;
  default?: unknown;
  title?: unknown;
  description?: unknown;
  writeOnly?: unknown;
}

const plainTypes: Readonly<Record<string, string>> = {
  string: "string",
  integer: "number",
  number: "number",
  boolean: "boolean",
};

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

const text = (value: unknown) => (typeof value === "string" ? value : "");

function literal(value: unknown): string | null {
  if (typeof value === "string") return stringLiteral(value);
  return typeof value === "number" || typeof value === "boolean" ? String(value) : null;
}

function plainType({ type, items }: Property): string {
  if (type === "array" && isObject(items)) {
    const one = plainType(items as Property);
    return one === "unknown" ? one : `${one}[]`;
  }
  return plainTypes[text(type)] ?? "unknown";
}

/**
 * The module `settings.gen.ts` for the settings that a plugin.json declares: types, client and hooks. `null` when there
 * are none. The schema is checked by the host.
 */
export function settingsModule(manifest: string, plugin: string): string | null {
  const parsed = JSON.parse(manifest) as { settings?: { properties?: Record<string, Property> } };
  const properties = Object.entries(parsed.settings?.properties ?? {}).filter(([, one]) =>
    isObject(one),
  );
  if (properties.length === 0) return null;
  let choices = "";
  const member = ([key, property]: [string, Property]) => {
    const literals = Array.isArray(property.enum) ? property.enum.map(literal) : [];
    let type = plainType(property);
    if (literals.length > 0 && literals.every((one) => one !== null)) {
      type = `Settings${upperCamel(key.replace(/[^a-z0-9]+/g, "_"))}`;
      choices += `${union(`export type ${type} =`, literals)}\n`;
    }
    const name = /^[a-z_][a-z0-9_]*$/.test(key) ? key : stringLiteral(key);
    const words = [text(property.title), text(property.description)].filter(Boolean).join(". ");
    const mark = property.default === undefined ? "?" : "";
    return `${docComment(words, "  ")}  ${name}${mark}: ${type};\n`;
  };
  const isSecret = ([, { writeOnly }]: [string, Property]) => writeOnly === true;
  const interfaceOf = (name: string, comment: string, members: string) =>
    members === ""
      ? `/** ${comment} */\nexport type ${name} = Record<never, never>;\n\n`
      : `/** ${comment} */\nexport interface ${name} {\n${members}}\n\n`;
  const values = properties.filter((one) => !isSecret(one)).map(member);
  const secrets = properties.filter(isSecret).map(member);
  return (
    "// Made of plugin.json by @tenon/rollup-preset: what is written here is lost.\n" +
    'import { defineSettings } from "@tenon/ui/records";\n\n' +
    (choices && `${choices}`) +
    interfaceOf(
      "Settings",
      "The settings in plugin.json. Only admins read and change them.",
      values.join(""),
    ) +
    interfaceOf("Secrets", "Settings that can be changed, but not read.", secrets.join("")) +
    `export const settings = defineSettings<Settings, Secrets>(${JSON.stringify(plugin)});\n` +
    "export const { useSettings, useSaveSettings } = settings.hooks;\n"
  );
}

/** The plugin.json of the plugin whose UI lies in `root`: `../../plugins/<id>` in this tree, else `..`. */
function findManifest(root: string, id: string): string | null {
  const files = [join(root, "../../plugins", id, "plugin.json"), join(root, "../plugin.json")];
  return files.find((file) => existsSync(file)) ?? null;
}

/** Writes `src/settings.gen.ts` of a plugin's UI where it has changed; returns what it holds. */
export async function writeSettings(root: string, id: string): Promise<string | null> {
  const manifest = findManifest(root, id);
  const made = manifest && settingsModule(await readFile(manifest, "utf8"), id);
  if (!made) return null;
  const out = join(root, "src/settings.gen.ts");
  const before = existsSync(out) ? await readFile(out, "utf8") : null;
  if (before !== made) await writeFile(out, made);
  return made;
}
