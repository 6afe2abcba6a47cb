import { addBrowserParts, fakeServer, Reply, type FakeServer } from "@tenon/testing";
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { PluginRecord } from "../src/admin/console-api.ts";
import { PluginSettingsSection } from "../src/admin/plugins/plugin-settings.tsx";
import {
  changedValues,
  controlOf,
  valueOf,
  type PluginSettings,
} from "../src/admin/plugins/settings-form.ts";
import { queryClient, QueryScope } from "../src/data/query-scope.tsx";

const plugin = { id: "mail", name: "Mail", version: "1.0.0", generation: 1 } as PluginRecord;

const schema = {
  required: ["host"],
  properties: {
    host: { type: "string", title: "Mail server", description: "Its host name." },
    port: { type: "integer", minimum: 1, maximum: 65535, default: 587 },
    security: { enum: ["tls", "none"], default: "tls" },
    verify: { type: "boolean", title: "Verify certificates", default: true },
    password: { type: "string", writeOnly: true },
    headers: { type: "object" },
    footer: { type: "string", maxLength: 1000 },
  },
};

let server: FakeServer;
let settings: PluginSettings;
let sent: unknown[];
let refusal: unknown;

beforeAll(addBrowserParts);
beforeEach(() => {
  queryClient.clear();
  sent = [];
  refusal = null;
  settings = { schema, values: { host: "mail.example" }, secrets: ["password"], errors: [] };
  server = fakeServer({
    "GET /api/core/plugins/mail/settings": () => settings,
    "PUT /api/core/plugins/mail/settings": (request) => {
      sent.push(request.body);
      if (refusal) return refusal;
      const { values } = request.body as { values: Record<string, unknown> };
      settings = { ...settings, values };
      return settings;
    },
  });
});
afterEach(() => {
  cleanup();
  server.close();
});

async function show() {
  await act(async () => {
    render(
      <MemoryRouter>
        <QueryScope>
          <PluginSettingsSection plugin={plugin} />
        </QueryScope>
      </MemoryRouter>,
    );
  });
}

const field = (label: string) => screen.findByLabelText<HTMLInputElement>(label, { exact: false });

describe("plugin settings", () => {
  it("chooses a control for each type", () => {
    const controls = Object.values(schema.properties).map(controlOf);
    expect(controls).toEqual(["text", "number", "choice", "flag", "secret", "json", "long"]);
  });

  it("reads values from texts", () => {
    expect(valueOf({ type: "integer" }, "12")).toBe(12);
    expect(valueOf({ type: "string" }, "12")).toBe("12");
    expect(valueOf({ enum: [1, "1"] }, "1")).toBe(1);
    expect(valueOf({ type: "object" }, '{"a":1}')).toEqual({ a: 1 });
    expect(valueOf({ type: "object" }, "{")).toBe("{");
    expect(valueOf({ type: "string" }, "")).toBeNull();
  });

  it("sends all stored values with the changes", () => {
    expect(changedValues(settings, { port: "25", verify: "false", host: "" })).toEqual({
      host: null,
      port: 25,
      verify: false,
    });
  });

  it("shows nothing for a plugin without settings", async () => {
    settings = { schema: null, values: {}, secrets: [], errors: [] };
    await show();
    expect(screen.queryByText("Settings")).toBeNull();
  });

  it("shows stored values, defaults and no secrets", async () => {
    await show();
    expect((await field("Mail server")).value).toBe("mail.example");
    expect((await field("port")).placeholder).toBe("587");
    expect((await field("Verify certificates")).checked).toBe(true);
    expect((await field("password")).value).toBe("");
    expect(screen.getByText("Default (tls)")).toBeTruthy();
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Save" }).disabled).toBe(true);
  });

  it("saves changes and keeps the secret", async () => {
    await show();
    fireEvent.change(await field("port"), { target: { value: "25" } });
    fireEvent.click(await field("Verify certificates"));
    await act(async () => fireEvent.click(screen.getByRole("button", { name: "Save" })));
    expect(sent).toEqual([{ values: { host: "mail.example", port: 25, verify: false } }]);
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Save" }).disabled).toBe(true);
    expect((await field("port")).value).toBe("25");
  });

  it("removes a secret", async () => {
    await show();
    fireEvent.click(await screen.findByRole("button", { name: "Remove" }));
    await act(async () => fireEvent.click(screen.getByRole("button", { name: "Save" })));
    expect(sent).toEqual([{ values: { host: "mail.example", password: null } }]);
  });

  it("shows each fault at its field", async () => {
    await show();
    refusal = new Reply(422, {
      status: 422,
      code: "plugins.settings_invalid",
      detail: "The settings were not changed: This must be at most 65535.",
      errors: [{ field: "port", code: "too_large", message: "This must be at most 65535." }],
    });
    fireEvent.change(await field("port"), { target: { value: "70000" } });
    await act(async () => fireEvent.click(screen.getByRole("button", { name: "Save" })));
    expect(await screen.findByText("This must be at most 65535.")).toBeTruthy();
    expect((await field("port")).value).toBe("70000");
  });

  it("discards changes", async () => {
    await show();
    fireEvent.change(await field("Mail server"), { target: { value: "other.example" } });
    fireEvent.click(screen.getByRole("button", { name: "Discard changes" }));
    expect((await field("Mail server")).value).toBe("mail.example");
  });
});
