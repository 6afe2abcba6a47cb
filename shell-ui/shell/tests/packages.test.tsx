import { createStore, EventProvider } from "@tenon/host";
import { addBrowserParts, fakeServer, Reply, type FakeServer } from "@tenon/testing";
import { Problem, Toaster } from "@tenon/ui";
import { act, cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { queryClient, QueryScope } from "../src/data/query-scope.tsx";
import { InstallDialog } from "../src/admin/plugins/install-dialog.tsx";
import {
  PlanConsents,
  PlanData,
  PlanFacts,
  PlanPermissions,
  PlanPublicPaths,
  PlanRefusals,
  PlanResponseHeaders,
} from "../src/admin/plugins/install-plan.tsx";
import { KeyList } from "../src/admin/keys/keys-list.tsx";
import { keyNumber, type KeyRecord, type PackagePlan } from "../src/admin/plugins/packages-api.ts";
import { refusalText, useInstall } from "../src/admin/plugins/use-install.ts";

const plan: PackagePlan = {
  id: "mail",
  name: "Mail",
  change: "upgrade",
  from: "1.0.0",
  to: "2.0.0",
  package: "ab",
  packed: 90_000,
  unpacked: 2_500_000,
  signer: { key: "0123456789ABCDEF", name: "Acme", trust: "trusted" },
  permissions: [
    { id: "mail.use", title: "Use mail", roles: ["admin", "member"] },
    { id: "mail.send", title: "Send", roles: [] },
  ],
  new_permissions: ["mail.send"],
  gone_permissions: ["mail.old"],
  response_headers: ["Access-Control-Allow-Origin"],
  outgoing: ["https://api.example.com"],
  public_paths: [{ path: "/s", route: "/go", title: "Short links" }],
  requires: [{ id: "people", range: "^1.2" }],
  consents: [
    { code: "signer", message: "Another key signed it." },
    { code: "permission:mail.send", message: "Adds a permission: Send." },
  ],
  refusals: [],
  data: {
    from: "1.0.0",
    to: "2.0.0",
    steps: [{ kind: "add_field", table: "mails", field: "read", text: "add field mails.read" }],
    refusals: [],
    blocked_by: "",
    phased: true,
  },
};

beforeAll(addBrowserParts);
afterEach(cleanup);

describe("package plan", () => {
  it("shows changes, permissions and data", () => {
    render(
      <>
        <PlanFacts plan={plan} />
        <PlanPermissions plan={plan} />
        <PlanPublicPaths plan={plan} />
        <PlanResponseHeaders plan={plan} />
        <PlanData plan={plan} />
      </>,
    );
    for (const text of [
      "1.0.0",
      "2.0.0",
      "Acme",
      "0123456789ABCDEF",
      "people ^1.2",
      "90 KB",
      "Short links/s",
      "Access-Control-Allow-Origin",
    ])
      expect(document.body.textContent).toContain(text);
    expect(screen.getByText("2.5 MB unpacked")).toBeTruthy();
    expect(screen.getByText("New").closest("li")?.textContent).toContain(
      "mail.send · no role by default",
    );
    expect(screen.getByText("Removed").closest("li")?.textContent).toContain("mail.old");
    expect(screen.getByText("Add field mails.read")).toBeTruthy();
    expect(screen.getByText("The plugin stays available during the upgrade.")).toBeTruthy();
  });

  it("requires each consent", () => {
    const given: string[][] = [];
    render(
      <PlanConsents
        plan={plan}
        given={new Set(["signer"])}
        onChange={(codes) => given.push([...codes])}
      />,
    );
    fireEvent.click(screen.getByRole("checkbox", { name: "Adds a permission: Send." }));
    fireEvent.click(screen.getByRole("checkbox", { name: "Another key signed it." }));
    expect(given).toEqual([["signer", "permission:mail.send"], []]);
  });

  it("shows refusals and offers to trust the key", () => {
    let asked = 0;
    const refused: PackagePlan = {
      ...plan,
      refusals: [
        { code: "plugins.signer_unknown", message: "tenon plugin trust", path: "" },
        { code: "plugins.requires_missing", message: "It requires people.", path: "" },
        { code: "data.migration_refused", message: "raw", path: "the package" },
      ],
      data: {
        from: "1.0.0",
        to: "2.0.0",
        steps: [],
        refusals: [{ table: "mails", field: "to", reason: "mails.to would lose data." }],
        blocked_by: "",
        phased: false,
      },
    };
    render(<PlanRefusals plan={refused} onTrust={() => (asked += 1)} />);
    expect(screen.getByText("It requires people.")).toBeTruthy();
    expect(screen.getByText("mails.to would lose data.")).toBeTruthy();
    expect(screen.queryByText("raw")).toBeNull();
    expect(screen.queryByText(/tenon plugin trust/)).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: "Trust this key…" }));
    expect(asked).toBe(1);
  });
});

describe("package size limit", () => {
  function Offer({ file }: { file: File }) {
    const install = useInstall();
    return (
      <>
        <button onClick={() => void install.take(file)}>Take</button>
        <InstallDialog install={install} isDragOver={false} />
      </>
    );
  }
  const fileOf = (size: number) => {
    const file = new File([], "big.tenon");
    Object.defineProperty(file, "size", { value: size });
    return file;
  };
  const take = (size: number) => {
    render(
      <QueryScope>
        <Offer file={fileOf(size)} />
      </QueryScope>,
    );
    fireEvent.click(screen.getByRole("button", { name: "Take" }));
  };

  it("rejects a larger file before the upload", async () => {
    take(64 * 1024 * 1024 + 1);
    await screen.findByText(/^big\.tenon is larger than 64 MB/);
  });

  it("accepts a file of exactly the maximum size", async () => {
    take(64 * 1024 * 1024);
    await screen.findByRole("progressbar", { name: /big\.tenon/ });
  });
});

describe("refused package", () => {
  const source = { kind: "file" as const, file: new File([], "photo.tenon") };
  const problem = (code: string, message: string) => new Problem({ status: 422, code, message });

  it.each(["plugins.package_invalid", "plugins.package_damaged"])(
    "is to be downloaded again after %s",
    (code) => {
      expect(refusalText(problem(code, "Its directory is too short."), source)).toBe(
        "photo.tenon: This is not a Tenon package, or it is damaged. Download it again.",
      );
    },
  );

  it("shows the server's message for other codes", () => {
    const unsigned = problem("plugins.package_unsigned", "the package: It is not signed.");
    expect(refusalText(unsigned, source)).toBe("photo.tenon: It is not signed.");
  });
});

describe("public key number", () => {
  const bytes = [0xef, 0xcd, 0xab, 0x89, 0x67, 0x45, 0x23, 0x01, ...new Array<number>(32).fill(7)];
  const line = btoa(`Ed${String.fromCharCode(...bytes)}`);

  it("is read from a file or its line", () => {
    expect(keyNumber(line)).toBe("0123456789ABCDEF");
    expect(keyNumber(`untrusted comment: public key 1\n${line}\n`)).toBe("0123456789ABCDEF");
  });

  it("is missing without a key", () => {
    for (const text of ["", "no key!", btoa("Ed"), btoa(`ED${"x".repeat(40)}`), `${line}AAAA`])
      expect(keyNumber(text)).toBeNull();
  });
});

describe("trusted keys", () => {
  const events = {
    status: createStore("open" as const),
    subscribe: () => () => undefined,
    onOpen: () => () => undefined,
  };
  const known: KeyRecord = {
    number: "0123456789ABCDEF",
    key: "RWabc",
    name: "Acme",
    trust: "trusted",
    reason: "",
    changed: "2026-11-20T10:00:00.000Z",
    changed_by: "local",
  };
  let server: FakeServer;
  let keys: readonly KeyRecord[];

  beforeEach(() => {
    queryClient.clear();
    server = fakeServer({
      "GET /api/core/keys": () => ({ items: keys }),
      "GET /api/core/plugins": () => ({ items: [], next: null }),
      "DELETE /api/core/keys/:number": () => {
        keys = [];
        return undefined;
      },
      "POST /api/core/keys": () => {
        keys = [known];
        return new Reply(201, known);
      },
    });
  });
  afterEach(() => server.close());

  const show = () =>
    act(async () => {
      render(
        <EventProvider value={events}>
          <MemoryRouter>
            <QueryScope>
              <KeyList />
            </QueryScope>
            <Toaster />
          </MemoryRouter>
        </EventProvider>,
      );
      await Promise.resolve();
    });

  it("explains an empty list", async () => {
    keys = [];
    await show();
    await screen.findByText("No trusted keys");
  });

  it("restores a removed key with Undo", async () => {
    keys = [known];
    await show();
    await screen.findByText(/by the command line/);
    fireEvent.click(screen.getByRole("button", { name: "Actions for Acme" }));
    fireEvent.click(screen.getByRole("menuitem", { name: "Remove", hidden: true }));
    await screen.findByText("No trusted keys");
    fireEvent.click(await screen.findByRole("button", { name: "Undo" }));
    await screen.findByText("Acme");
    await waitFor(() => expect(server.requests.at(-1)?.method).toBe("GET"));
    expect(server.requests.find(({ method }) => method === "POST")?.body).toEqual({
      key: "RWabc",
      name: "Acme",
    });
  });
});
