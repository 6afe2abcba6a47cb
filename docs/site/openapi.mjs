// Pages of the HTTP API, from the descriptions of the host's own routes in host/openapi/core.
import { cell } from "./reference.mjs";

const anchorOf = (name) => name.toLowerCase().replace(/[^\w-]/g, "");
const paragraph = (text) => (text ? `\n${text}\n` : "");
const json = (value) => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\`\n`;

/** The parameters, responses and schemas of all files, and the page of each schema. */
export function componentsOf(files) {
  const found = { parameters: {}, responses: {}, schemas: {}, pageOf: {} };
  for (const { page, text } of files) {
    const { components = {} } = JSON.parse(text);
    for (const kind of ["parameters", "responses", "schemas"])
      Object.assign(found[kind], components[kind]);
    for (const name of Object.keys(components.schemas ?? {})) found.pageOf[name] = page;
  }
  return found;
}

/** Writes the page of one file. */
export function openapiPage(text, components) {
  const { tag, operations, components: own = {} } = JSON.parse(text);
  const resolve = (one, kind) => (one.$ref ? components[kind][one.$ref.split("/").at(-1)] : one);

  const typeOf = (schema) => {
    const name = schema.$ref?.split("/").at(-1);
    if (name && components.pageOf[name])
      return `[${name}](/${components.pageOf[name]}#${anchorOf(name)})`;
    if (name) return name;
    if (schema.items) return `${typeOf(schema.items)}, several`;
    const choices = schema.oneOf ?? schema.anyOf;
    if (choices) return choices.map(typeOf).join(" or ");
    if (schema.enum) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(", ");
    return [schema.type ?? "any"].flat().join(" or ");
  };

  /** A table of the members of an object, those of objects within it after a dot. */
  const membersOf = (schema) => {
    const rows = [];
    const visit = (one, path, depth) => {
      for (const [key, value] of Object.entries(one.properties ?? {})) {
        const name = path ? `${path}.${key}` : key;
        const mark = one.required?.includes(key) ? "" : " (optional)";
        rows.push(
          `| \`${name}\`${mark} | ${cell(typeOf(value))} | ${cell(value.description ?? "")} |`,
        );
        if (depth < 3) visit(value.items ?? value, value.items ? `${name}[]` : name, depth + 1);
      }
    };
    visit(schema, "", 0);
    return rows.length > 0
      ? `| member | type | meaning |\n|---|---|---|\n${rows.join("\n")}\n`
      : "";
  };

  const contentOf = ([type, { schema = {}, example }]) => {
    const body = schema.$ref || schema.items ? `${typeOf(schema)}\n` : membersOf(schema);
    const shown = example === undefined || !type.endsWith("json") ? "" : `\n${json(example)}`;
    return `\n\`${type}\`${body.startsWith("|") ? "\n\n" : ": "}${body || `${typeOf(schema)}\n`}${shown}`;
  };

  let page = `# ${tag.name}\n${paragraph(tag.description)}`;
  for (const [route, operation] of Object.entries(operations)) {
    page += `\n## ${route.replace(" ", " \`")}\`\n${paragraph(operation.description)}`;
    const parameters = (operation.parameters ?? []).map((one) => resolve(one, "parameters"));
    if (parameters.length > 0) {
      page += "\n| parameter | in | type | meaning |\n|---|---|---|---|\n";
      for (const { name, in: location, schema = {}, description = "" } of parameters)
        page += `| \`${name}\` | ${location} | ${cell(typeOf(schema))} | ${cell(description)} |\n`;
    }
    if (operation.requestBody) {
      page += `\n**Request**${paragraph(operation.requestBody.description) || "\n"}`;
      for (const content of Object.entries(operation.requestBody.content ?? {}))
        page += contentOf(content);
    }
    const errors = [];
    for (const [status, one] of Object.entries(operation.responses ?? {})) {
      if (one.$ref) {
        errors.push(`\`${status}\``);
        continue;
      }
      page += `\n**${status}**: ${one.description ?? ""}\n`;
      if (status.startsWith("2"))
        for (const content of Object.entries(one.content ?? {})) page += contentOf(content);
    }
    if (errors.length > 0) page += `\nErrors: ${errors.join(", ")} (see [error codes](/errors)).\n`;
  }
  for (const [name, schema] of Object.entries(own.schemas ?? {}))
    page += `\n## ${name}\n${paragraph(schema.description)}\n${membersOf(schema) || typeOf(schema)}\n`;
  return page;
}
