import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fakeServer, Reply, type FakeServer } from "@tenon/testing";
import { defineSettings } from "@tenon/ui/records";
import { act, cleanup, renderHook, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

interface Settings {
  port: number;
  host?: string;
}
interface Secrets {
  password?: string;
}
const settings = defineSettings<Settings, Secrets>("mail");
const { useSettings, useSaveSettings } = settings.hooks;

const path = "/api/core/plugins/mail/settings";
const schema = { properties: { port: { default: 587 }, host: {}, password: { writeOnly: true } } };
let server: FakeServer;
let values: Record<string, unknown>;

// As docs/settings.md has it: null restores the default.
beforeEach(() => {
  values = { host: "mail.example" };
  server = fakeServer({
    [`GET ${path}`]: () => ({ schema, values, secrets: [], errors: [] }),
    [`PUT ${path}`]: ({ body }) => {
      const sent = (body as { values: Record<string, unknown> }).values;
      if (sent.port === 0) return new Reply(422, { status: 422, code: "plugins.settings_invalid" });
      values = Object.fromEntries(
        Object.entries(sent).filter(([key, value]) => value !== null && key !== "password"),
      );
      return { schema, values, secrets: ["password"], errors: [] };
    },
  });
});

afterEach(() => {
  cleanup();
  server.close();
});

const render = <T,>(hook: () => T) => {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  );
  return renderHook(hook, { wrapper }).result;
};

describe("typed settings", () => {
  it("reads values with their defaults", async () => {
    expect(await settings.read()).toEqual({ port: 587, host: "mail.example" });
    const result = render(() => useSettings());
    await waitFor(() => expect(result.current.data?.port).toBe(587));
  });

  it("changes some and keeps the others", async () => {
    expect(await settings.change({ port: 25, password: "hunter2" })).toEqual({
      port: 25,
      host: "mail.example",
    });
    expect(server.requests.at(-1)?.body).toEqual({
      values: { host: "mail.example", port: 25, password: "hunter2" },
    });
    expect(await settings.change({ port: null })).toEqual({ port: 587, host: "mail.example" });
  });

  it("updates what pages show after a change", async () => {
    const result = render(() => ({ read: useSettings(), save: useSaveSettings({ quiet: true }) }));
    await waitFor(() => expect(result.current.read.data).toBeTruthy());
    await act(() => result.current.save.mutateAsync({ port: 25 }));
    await waitFor(() => expect(result.current.read.data?.port).toBe(25));
    await act(() => result.current.save.mutateAsync({ port: 0 }).catch(() => undefined));
    await waitFor(() => expect(result.current.save.error).toMatchObject({ status: 422 }));
    expect(result.current.read.data?.port).toBe(25);
  });
});
