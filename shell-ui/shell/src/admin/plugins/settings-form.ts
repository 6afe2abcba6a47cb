/** A JSON Schema of one setting, as far as the form reads it; the server checks all of it. */
export interface SettingSchema {
  type?: string;
  title?: string;
  description?: string;
  enum?: readonly unknown[];
  default?: unknown;
  format?: string;
  minimum?: number;
  maximum?: number;
  multipleOf?: number;
  maxLength?: number;
  writeOnly?: boolean;
}

export type Values = Readonly<Record<string, unknown>>;

/** `/api/core/plugins/{id}/settings` */
export interface PluginSettings {
  schema: {
    properties?: Readonly<Record<string, SettingSchema>>;
    required?: readonly string[];
  } | null;
  /** Stored values, without secrets. */
  values: Values;
  /** Secrets that have a value. */
  secrets: readonly string[];
  /** Stored values that the schema refuses, so that their defaults apply. */
  errors: readonly { field: string; message: string }[];
}

export type Control = "secret" | "choice" | "flag" | "number" | "long" | "text" | "json";

const longText = 200;

/** Chooses the control that fits the type of a setting. */
export function controlOf(schema: SettingSchema): Control {
  if (schema.writeOnly) return "secret";
  if (schema.enum) return "choice";
  if (schema.type === "boolean") return "flag";
  if (schema.type === "integer" || schema.type === "number") return "number";
  if (schema.type !== "string") return "json";
  return (schema.maxLength ?? 0) > longText ? "long" : "text";
}

/** The text of a value in its control. */
export function textOf(schema: SettingSchema, value: unknown): string {
  if (value === undefined) return "";
  if (controlOf(schema) === "json") return JSON.stringify(value, null, 2);
  return typeof value === "string" ? value : JSON.stringify(value);
}

/**
 * Returns the value for the text of a control; an empty one is the default, which the server stores as no value. A
 * text that is no JSON where JSON is due stays a text: the server says what is wrong.
 */
export function valueOf(schema: SettingSchema, text: string): unknown {
  const control = controlOf(schema);
  if (text === "") return null;
  if (control === "choice") return schema.enum?.find((one) => textOf(schema, one) === text);
  if (control === "number") return Number(text);
  if (control !== "json") return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The values of all settings with the changes of a form: `null` for a default or a removed secret. */
export function changedValues(
  settings: PluginSettings,
  draft: Readonly<Record<string, string>>,
): Values {
  const changed: Record<string, unknown> = { ...settings.values };
  for (const [key, text] of Object.entries(draft)) {
    const schema = settings.schema?.properties?.[key];
    if (!schema) continue;
    changed[key] = controlOf(schema) === "flag" ? text === "true" : valueOf(schema, text);
  }
  return changed;
}
