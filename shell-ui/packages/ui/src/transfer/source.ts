/** How a file is written. */
export type Format = "csv" | "json" | "jsonl";

/** A file that is to be imported, as far as it was read here. */
export interface Source {
  name: string;
  format: Format;
  columns: readonly string[];
  /** The first rows. */
  samples: readonly Readonly<Record<string, string>>[];
  /** The bytes to send. */
  content: Blob;
}

/** Bytes that the host takes of a file. */
export const maxBytes = 256 * 1024 * 1024;
/** Bytes of a file that is decoded here; a larger one is sent as it is. */
const maxDecoded = 32 * 1024 * 1024;
/** Bytes of which names and samples are read. */
const headBytes = 256 * 1024;
const sampleRows = 3;

/** Why a file cannot be imported, with a message for users. */
export class SourceError extends Error {}

// Excel of some countries still writes Windows' own letters.
function decode(bytes: ArrayBuffer): string {
  const [first, second] = new Uint8Array(bytes);
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

function separatorOf(text: string): string {
  const line = text.slice(0, text.search(/[\r\n]|$/));
  const count = (mark: string) => line.split(mark).length;
  return [",", ";", "\t"].reduce((best, mark) => (count(mark) > count(best) ? mark : best));
}

/** The first rows of RFC 4180, as the host reads it. */
export function csvRows(text: string, max: number): string[][] {
  const separator = separatorOf(text);
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let isQuoted = false;
  const end = () => {
    row.push(cell);
    cell = "";
  };
  for (let at = 0; at < text.length && rows.length < max; at += 1) {
    const letter = text.charAt(at);
    if (isQuoted) {
      if (letter !== '"') cell += letter;
      else if (text.charAt(at + 1) === '"') cell += text.charAt(++at);
      else isQuoted = false;
    } else if (letter === '"' && cell === "") isQuoted = true;
    else if (letter === separator) end();
    else if (letter === "\n" || letter === "\r") {
      if (letter === "\r" && text.charAt(at + 1) === "\n") at += 1;
      if (row.length > 0 || cell !== "") {
        end();
        rows.push(row);
        row = [];
      }
    } else cell += letter;
  }
  if (rows.length < max && (row.length > 0 || cell !== "")) {
    end();
    rows.push(row);
  }
  return rows;
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function jsonRecords(text: string): unknown[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new SourceError(
      `The file is not valid JSON: ${error instanceof Error ? error.message : ""}`,
    );
  }
  if (!Array.isArray(parsed))
    throw new SourceError("The file has no list of records. Use a JSON array of objects.");
  return parsed;
}

function lineRecords(text: string): unknown[] {
  const lines = text.split(/\r?\n/, 100).filter((line) => line.trim());
  const records: unknown[] = [];
  for (const line of lines) {
    try {
      records.push(JSON.parse(line));
    } catch {
      // The last line of a part of a file is cut; the host names one that is wrong.
      break;
    }
  }
  return records;
}

function formatOf(name: string, text: string): Format {
  if (/\.(?:jsonl|ndjson)$/i.test(name)) return "jsonl";
  const isJson = /\.json$/i.test(name) || /^\s*\[\s*\{/.test(text);
  if (!isJson) return "csv";
  return /^\s*\{/.test(text) ? "jsonl" : "json";
}

/** Reads what a file is. Throws a `SourceError` for what is no table. */
export async function readSource(file: File): Promise<Source> {
  if (file.size === 0) throw new SourceError(`“${file.name}” is empty.`);
  if (file.size > maxBytes)
    throw new SourceError(
      `“${file.name}” is larger than ${maxBytes / 1024 / 1024} MB. Split the file.`,
    );
  const isDecoded = file.size <= maxDecoded;
  const part = isDecoded ? file : file.slice(0, headBytes);
  const text = decode(await part.arrayBuffer()).replace(/^\uFEFF/, "");
  const format = formatOf(file.name, text);
  if (format === "json" && !isDecoded)
    throw new SourceError("The JSON file is too large. Use JSON lines or CSV.");
  const content = isDecoded ? new Blob([text]) : file;
  let columns: string[];
  let samples: Record<string, string>[];
  if (format === "csv") {
    const [names = [], ...rows] = csvRows(text.slice(0, headBytes), sampleRows + 1);
    columns = names;
    samples = rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at] ?? ""])));
  } else {
    const records = (format === "json" ? jsonRecords(text) : lineRecords(text)).filter(isRecord);
    columns = [...new Set(records.slice(0, 100).flatMap((record) => Object.keys(record)))];
    samples = records
      .slice(0, sampleRows)
      .map((record) => Object.fromEntries(columns.map((name) => [name, shown(record[name])])));
  }
  if (columns.length === 0) throw new SourceError(`“${file.name}” has no columns. Check the file.`);
  return { name: file.name, format, columns, samples, content };
}
