// Checks real responses, and the examples of the document, against an OpenAPI document.
// stdin: {"document", "exchanges": [{"method","target","request","status","type","body"}]}; stdout: a JSON list of complaints.

import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

const { document, exchanges } = JSON.parse(readFileSync(0, "utf8"));
const complaints = [];
const base = "doc";

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true });
addFormats.default(ajv);
ajv.addFormat("password", true);
ajv.addSchema({ $id: base, ...document });

/** The schema at a JSON pointer of the document, and the value against it. */
function check(pointer, value, where) {
  const validate =
    ajv.getSchema(`${base}#${pointer}`) ?? ajv.compile({ $ref: `${base}#${pointer}` });
  if (!validate(value)) complaints.push(`${where}: ${ajv.errorsText(validate.errors)}`);
}

const escape = (part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"));
const pointerOf = (parts) => parts.map((part) => `/${escape(String(part))}`).join("");
const at = (parts) => parts.reduce((value, part) => value?.[part], document);

/** Follows a reference to the path of the object. */
function resolve(parts) {
  const reference = at(parts)?.$ref;
  return reference ? resolve(reference.slice(2).split("/")) : parts;
}

function findPath(path) {
  const fits = Object.keys(document.paths).filter((template) => {
    const pattern = template
      .split("/")
      .map((part) => part.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{[^}]+\}/g, "[^/]+"));
    return new RegExp(`^${pattern.join("/")}$`).test(path);
  });
  return fits.sort((a, b) => a.split("{").length - b.split("{").length)[0];
}

function checkBody(parts, type, body, where) {
  const range = `${type.split("/")[0]}/*`;
  const media = [...parts, "content", at([...parts, "content", type]) ? type : range];
  if (!at(media)) return complaints.push(`${where}: ${type} is not described`);
  if (/[/+]json$/.test(type) && at([...media, "schema"])) {
    check(pointerOf([...media, "schema"]), JSON.parse(body), where);
  }
}

function checkParameters(operation, query, where) {
  const known = (at([...operation, "parameters"]) ?? []).map((_, index) =>
    resolve([...operation, "parameters", index]),
  );
  for (const [name, value] of new URLSearchParams(query)) {
    const parameter = known.find((parts) => at(parts).name === name && at(parts).in === "query");
    if (!parameter) {
      complaints.push(`${where}: the parameter ${name} is not described`);
      continue;
    }
    const { type } = at(parameter).schema;
    const read = type === "integer" ? Number(value) : type === "boolean" ? value === "true" : value;
    check(pointerOf([...parameter, "schema"]), read, `${where} ${name}`);
  }
}

for (const { method, target, request, status, type, body } of exchanges) {
  const [path, query = ""] = target.split("?");
  const where = `${method} ${target} ${status}`;
  const template = findPath(path);
  const operation = ["paths", template, method.toLowerCase()];
  if (!template || !at(operation)) {
    complaints.push(`${where}: is not described`);
    continue;
  }
  const statuses = at([...operation, "responses"]);
  const described = [String(status), `${String(status)[0]}XX`, "default"].find(
    (name) => statuses[name],
  );
  if (!described) {
    complaints.push(`${where}: the status is not described`);
    continue;
  }
  const response = resolve([...operation, "responses", described]);
  // A status that a plugin does not describe is described as "2XX", without a body.
  const isDescribed = described !== "2XX" || at([...response, "content"]);
  if (body && isDescribed) checkBody(response, type.split(";")[0], body, where);
  else if (body) continue;
  else if (status !== 304 && at([...response, "content"])) complaints.push(`${where}: has no body`);
  if (status >= 300) continue;
  checkParameters(operation, query, where);
  if (request != null) {
    checkBody(
      resolve([...operation, "requestBody"]),
      "application/json",
      request,
      `${where}, as it was sent`,
    );
  }
}

/** Checks every example in the document against the schema next to it. */
let examples = 0;
function checkExamples(parts) {
  const value = at(parts);
  if (value === null || typeof value !== "object") return;
  if (parts.at(-1) === "example" || parts.at(-1) === "examples") return;
  const schema = value.schema ? [...parts, "schema"] : value.type ? parts : null;
  if (schema && "example" in value) {
    examples += 1;
    check(pointerOf(schema), value.example, `example at ${parts.join(" ")}`);
  }
  for (const name of Object.keys(value)) checkExamples([...parts, name]);
}
checkExamples([]);
if (examples === 0) complaints.push("there are no examples");

console.log(JSON.stringify(complaints));
