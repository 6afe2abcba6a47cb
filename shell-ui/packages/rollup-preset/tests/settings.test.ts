import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { check } from "prettier";
import { afterEach, describe, expect, it } from "vitest";
import { settingsModule, writeSettings } from "../src/index.ts";

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

const manifest = (properties: object) =>
  JSON.stringify({ id: "mail", settings: { type: "object", properties } });
const made = (properties: object) => settingsModule(manifest(properties), "mail") ?? "";

describe("generated settings module", () => {
  it("has a type for each kind of setting", async () => {
    const module = made({
      port: { type: "integer", title: "Port", description: "Of the server", default: 587 },
      host: { type: "string" },
      security: { enum: ["tls", "none"], default: "tls" },
      "log.level": { enum: [1, 2, true] },
      "is-open": { type: "boolean", default: false },
      tags: { type: "array", items: { type: "string" } },
      other: { type: ["string", "null"] },
      mixed: { enum: ["a", { b: 1 }] },
      password: { type: "string", writeOnly: true },
    });
    for (const line of [
      "  /** Port. Of the server */\n  port: number;",
      "  host?: string;",
      "  security: SettingsSecurity;",
      '  "log.level"?: SettingsLogLevel;',
      '  "is-open": boolean;',
      "  tags?: string[];",
      "  other?: unknown;",
      "  mixed?: unknown;",
      'export type SettingsSecurity = "tls" | "none";',
      "export type SettingsLogLevel = 1 | 2 | true;",
      "export interface Secrets {\n  password?: string;\n}",
      'export const settings = defineSettings<Settings, Secrets>("mail");',
    ])
      expect(module).toContain(line);
    expect(await check(module, { parser: "typescript", printWidth: 100 })).toBe(true);
  });

  it("needs neither values nor secrets", async () => {
    const module = made({ key: { type: "string", writeOnly: true } });
    expect(module).toContain("export type Settings = Record<never, never>;");
    expect(await check(module, { parser: "typescript", printWidth: 100 })).toBe(true);
    expect(settingsModule(manifest({}), "mail")).toBeNull();
    expect(settingsModule('{"id":"mail"}', "mail")).toBeNull();
  });

  it("is written only when it changes", async () => {
    const folder = await mkdtemp(join(tmpdir(), "tenon-settings-"));
    folders.push(folder);
    const ui = join(folder, "ui");
    await mkdir(join(ui, "src"), { recursive: true });
    expect(await writeSettings(ui, "mail")).toBeNull();
    await writeFile(join(folder, "plugin.json"), manifest({ port: { type: "integer" } }));
    const module = await writeSettings(ui, "mail");
    const out = join(ui, "src/settings.gen.ts");
    expect(await readFile(out, "utf8")).toBe(module);
    const { ino, mtimeMs } = await stat(out);
    await writeSettings(ui, "mail");
    expect(await stat(out)).toMatchObject({ ino, mtimeMs });
  });
});
