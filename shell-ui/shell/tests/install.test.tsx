import { addBrowserParts, fakeServer, Reply, type FakeServer } from "@tenon/testing";
import { Toaster } from "@tenon/ui";
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { queryClient, QueryScope } from "../src/data/query-scope.tsx";
import { switchPlugin } from "../src/admin/console-api.ts";
import { InstallDialog } from "../src/admin/plugins/install-dialog.tsx";
import { removePlugin, type PackagePlan } from "../src/admin/plugins/packages-api.ts";
import { useInstall } from "../src/admin/plugins/use-install.ts";

const plan: PackagePlan = {
  id: "mail",
  name: "Mail",
  change: "install",
  from: "",
  to: "2.0.0",
  package: "ab",
  packed: 90_000,
  unpacked: 2_500_000,
  signer: { key: "0123456789ABCDEF", name: "Acme", trust: "trusted" },
  permissions: [],
  new_permissions: [],
  gone_permissions: [],
  response_headers: [],
  outgoing: [],
  public_paths: [],
  requires: [],
  consents: [],
  refusals: [],
  data: null,
};

let server: FakeServer;
let states: readonly unknown[];

const running = { id: "7", state: "running", status: null, answer: null };

beforeAll(addBrowserParts);
beforeEach(() => {
  queryClient.clear();
  vi.useFakeTimers({ shouldAdvanceTime: true });
  server = fakeServer({
    "POST /api/core/registry/downloads": () => ({ number: 1 }),
    "GET /api/core/registry/downloads/:number": () =>
      states.length > 1
        ? [states[0], (states = states.slice(1))][0]
        : { state: "done", done: 9, total: 9, package: "ab", error: null },
    "POST /api/core/plugins/plan": () => plan,
    "POST /api/core/plugins": () => ({ id: "mail" }),
    "POST /api/core/plugins/:id/enable": () => new Reply(202, running),
    "DELETE /api/core/plugins/:id": () => new Reply(202, running),
    "GET /api/core/changes/:id": () => [states[0], (states = states.slice(1))][0],
  });
});
afterEach(() => {
  cleanup();
  server.close();
  vi.useRealTimers();
});

describe("long-running operation", () => {
  it("is polled until it finishes", async () => {
    states = [running, { id: "7", state: "done", status: 200, answer: { id: "mail" } }];
    const record = switchPlugin("mail", true);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await record).toEqual({ id: "mail" });
    expect(server.requests.map(({ path }) => path)).toEqual([
      "/api/core/plugins/mail/enable",
      "/api/core/changes/7",
      "/api/core/changes/7",
    ]);
  });

  it("resolves without a value if it has none", async () => {
    states = [{ id: "7", state: "done", status: 204, answer: null }];
    const exported = removePlugin("mail", "keep");
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await exported).toBe("");
  });

  it("rejects with the reported problem", async () => {
    const answer = { status: 409, code: "plugins.start_timeout", detail: "It did not come back." };
    states = [{ id: "7", state: "failed", status: 409, answer }];
    const failure = switchPlugin("mail", true).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await failure).toMatchObject({
      status: 409,
      code: "plugins.start_timeout",
      message: "It did not come back.",
    });
  });
});

describe("installation from the registry", () => {
  function Offer() {
    const install = useInstall();
    const pick = { id: "mail", name: "Mail", version: "2.0.0" };
    return (
      <>
        <button onClick={() => void install.fetch([pick])}>Take</button>
        <InstallDialog install={install} isDragOver={false} />
        <Toaster />
      </>
    );
  }
  const show = () => {
    render(
      <QueryScope>
        <Offer />
      </QueryScope>,
    );
    fireEvent.click(screen.getByRole("button", { name: "Take" }));
  };

  it("reports success once", async () => {
    states = [];
    show();
    fireEvent.click(await screen.findByRole("button", { name: "Install" }));
    await screen.findByText("Mail 2.0.0 installed");
    await act(() => vi.advanceTimersByTimeAsync(1_000));
    expect(screen.queryByText(/still being installed/)).toBeNull();
  });

  it("polls less often while a download stalls", async () => {
    const still = { state: "running", done: 3, total: 9, package: null, error: null };
    states = new Array<unknown>(100).fill(still);
    show();
    await act(() => vi.advanceTimersByTimeAsync(10_000));
    const asked = server.requests.filter(({ method }) => method === "GET").length;
    expect(asked).toBeGreaterThan(4);
    expect(asked).toBeLessThan(12);
  });
});
