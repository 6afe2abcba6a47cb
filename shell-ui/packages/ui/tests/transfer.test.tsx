import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { addBrowserParts, fakeServer, Reply, type FakeServer } from "@tenon/testing";
import { Toaster } from "@tenon/ui";
import { defineTable, filter, type Fields, type TableTypes } from "@tenon/ui/records";
import { ExportMenu, ImportDialog } from "@tenon/ui/transfer";
import { act, cleanup, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { doubled, guess, missing } from "../src/transfer/mapping.ts";
import { csvRows, readSource, SourceError } from "../src/transfer/source.ts";
import { TusServer } from "./uploads/tus-server.ts";

const fields: Fields = {
  title: { type: "text", required: true, unique: true },
  due_date: { type: "date" },
  state: { type: "choice", required: true, default: "open", choices: ["open", "done"] },
  loud: { type: "computed", readOnly: true },
  file: { type: "blob", readOnly: true },
};
const cards = defineTable<TableTypes & { record: { id: string; title: string } }>(
  "planner",
  "cards",
  fields,
);

beforeAll(addBrowserParts);
afterEach(cleanup);

const file = (name: string, ...parts: BlobPart[]) => new File(parts, name);

describe("import file", () => {
  it("parses CSV like the host", () => {
    expect(csvRows('a,"b ""x"", y"\r\n1,"2\n3"\r\n\r\n4\n', 9)).toEqual([
      ["a", 'b "x", y'],
      ["1", "2\n3"],
      ["4"],
    ]);
    expect(csvRows("a;b,c;d\n1;2;3", 9)).toEqual([
      ["a", "b,c", "d"],
      ["1", "2", "3"],
    ]);
    expect(csvRows("a\tb\r1\t2\r", 1)).toEqual([["a", "b"]]);
  });

  it("reports its columns in every format", async () => {
    const csv = await readSource(file("x.csv", "\uFEFFtitle;due\nKäse;\n"));
    expect(csv).toMatchObject({ format: "csv", columns: ["title", "due"] });
    expect(csv.samples).toEqual([{ title: "Käse", due: "" }]);
    expect(await csv.content.text()).toBe("title;due\nKäse;\n");
    const windows = await readSource(file("x.csv", new Uint8Array([0x74, 0x0a, 0x4b, 0xe4])));
    expect(windows.samples).toEqual([{ t: "Kä" }]);
    const utf16 = await readSource(
      file("x.csv", new Uint8Array([0xff, 0xfe, 0x74, 0, 0x0a, 0, 0x31, 0])),
    );
    expect(utf16).toMatchObject({ columns: ["t"], samples: [{ t: "1" }] });
    const json = await readSource(file("x.json", '[{"a":1},{"a":null,"b":["c"]}]'));
    expect(json).toMatchObject({ format: "json", columns: ["a", "b"] });
    expect(json.samples).toEqual([
      { a: "1", b: "" },
      { a: "", b: '["c"]' },
    ]);
    const lines = await readSource(file("x.ndjson", '{"a":"x"}\n\n{"b":2}\n'));
    expect(lines).toMatchObject({ format: "jsonl", columns: ["a", "b"] });
  });

  it("rejects a file without a table", async () => {
    for (const one of [
      file("x.csv"),
      file("x.json", "[{"),
      file("x.json", "[]"),
      file("x.json", "3"),
      file("x.csv", "\n\n"),
    ]) {
      await expect(readSource(one)).rejects.toBeInstanceOf(SourceError);
    }
  });
});

describe("column mapping", () => {
  it("guesses fields by name, each once", () => {
    expect(guess(["Title", "Due Date", "title", "Loud", "file", "ID"], fields)).toEqual({
      Title: null,
      "Due Date": "due_date",
      title: "title",
      Loud: null,
      file: null,
      ID: "id",
    });
    expect(guess(["Fällig"], fields, { due_date: "Fallig" })).toEqual({ Fällig: "due_date" });
  });

  it("reports missing and duplicate fields", () => {
    expect(missing({ a: "due_date", b: null }, fields)).toEqual(["title"]);
    expect(missing({ a: "title" }, fields)).toEqual([]);
    expect(doubled({ a: "title", b: "title", c: null, d: null })).toEqual(["title"]);
  });
});

describe("ImportDialog", () => {
  let server: FakeServer;
  let states: object[];
  const state = (more: object) => ({
    state: "done",
    dry_run: true,
    progress: { done: 1, total: 1 },
    rows: 2,
    created: 1,
    changed: 0,
    wrong: 1,
    error: "",
    errors: [{ line: 3, field: "due_date", code: "type", message: "It is a date." }],
    ...more,
  });

  beforeEach(() => {
    states = [];
    server = fakeServer({
      "POST /api/planner/cards/import": () => new Reply(202, { job: "j1" }),
      "GET /api/planner/cards/import/:job": () => (states.length > 1 ? states.shift() : states[0]),
      "DELETE /api/planner/cards/import/:job": () => new Reply(204),
    });
  });
  afterEach(() => server.close());

  const imports = () =>
    server.requests.filter(({ method }) => method === "POST").map(({ body }) => body);

  async function open(content = "Title,Due date\na,2026-01-01\nb,x\n") {
    const onClose = vi.fn();
    const onDone = vi.fn();
    render(
      <QueryClientProvider client={new QueryClient()}>
        <ImportDialog open onClose={onClose} onDone={onDone} table={cards} />
        <Toaster />
      </QueryClientProvider>,
    );
    const input = screen.getByLabelText("File");
    await act(async () => {
      fireEvent.change(input, { target: { files: [file("cards.csv", content)] } });
      await Promise.resolve();
    });
    return { onClose, onDone };
  }
  const button = (name: RegExp | string) => screen.findByRole("button", { name });
  const press = async (name: RegExp | string) => {
    const found = await button(name);
    await act(async () => {
      fireEvent.click(found);
      await Promise.resolve();
    });
  };

  it("checks a file and imports the valid rows", async () => {
    const { onDone } = await open();
    const field = await screen.findByRole("combobox", { name: "Field for Due date" });
    expect((field as HTMLSelectElement).value).toBe("due_date");
    expect(screen.getByText("2026-01-01, x")).toBeTruthy();
    states = [state({ state: "running" }), state({})];
    await press("Check");
    const errors = await screen.findByRole("region", { name: "Rejected rows" });
    expect(within(errors).getByRole("row", { name: "3 Due date It is a date." })).toBeTruthy();
    states = [state({ dry_run: false })];
    await press("Import 1 record");
    await screen.findByText("1 record imported.");
    const list = screen.getByRole("link", { name: "Download rejected rows" });
    expect(list.getAttribute("href")).toBe("/api/planner/cards/import/j1?errors=csv");
    expect(onDone).toHaveBeenCalledOnce();
    const asked = {
      format: "csv",
      mode: "create",
      mapping: { Title: "title", "Due date": "due_date" },
    };
    expect(imports()).toEqual([
      expect.objectContaining({ ...asked, dry_run: true }),
      expect.objectContaining({ ...asked, dry_run: false }),
    ]);
  });

  it("requires a column for every required field", async () => {
    await open("Name,Due date\na,\n");
    expect(((await button("Check")) as HTMLButtonElement).disabled).toBe(true);
    expect(screen.getByText(/No column maps to Title/)).toBeTruthy();
    const name = screen.getByRole("combobox", { name: "Field for Name" });
    fireEvent.change(name, { target: { value: "due_date" } });
    expect(screen.getByText(/Two columns map to Due date/)).toBeTruthy();
    fireEvent.change(name, { target: { value: "title" } });
    fireEvent.change(screen.getByRole("combobox", { name: "Field for Due date" }), {
      target: { value: "" },
    });
    fireEvent.change(screen.getByRole("combobox", { name: "Import as" }), {
      target: { value: "title" },
    });
    states = [state({ wrong: 0, errors: [], changed: 1 })];
    await press("Check");
    await button("Import 2 records");
    expect(imports()[0]).toMatchObject({
      mode: "upsert",
      key: "title",
      mapping: { Name: "title", "Due date": null },
    });
  });

  it("stops on request and shows the result", async () => {
    await open();
    states = [state({})];
    await press("Check");
    states = [state({ dry_run: false, state: "running" })];
    await press("Import 1 record");
    await screen.findByText(/Importing 2 rows/);
    await press("Stop");
    await waitFor(() => expect(server.requests.at(-1)?.method).toMatch(/DELETE|GET/));
    states = [state({ dry_run: false, state: "cancelled" })];
    await screen.findByText(/Import stopped/, {}, { timeout: 3_000 });
    expect(server.requests.some(({ method }) => method === "DELETE")).toBe(true);
  });

  it("continues in the background after it is closed", async () => {
    const { onClose } = await open();
    states = [state({})];
    await press("Check");
    states = [state({ dry_run: false, state: "running" })];
    await press("Import 1 record");
    await screen.findByText(/Importing 2 rows/);
    await press("Close");
    expect(onClose).toHaveBeenCalledOnce();
    await screen.findByText("Import continues in the background");
    const messages = screen.getByRole("region", { name: "Notifications" });
    fireEvent.click(within(messages).getByRole("button", { name: "Stop" }));
    await waitFor(() =>
      expect(server.requests.some(({ method }) => method === "DELETE")).toBe(true),
    );
  });

  it("shows refusals and invalid files", async () => {
    await open("");
    await screen.findByText("“cards.csv” is empty.");
    cleanup();
    await open();
    server.use({
      "POST /api/planner/cards/import": () =>
        new Reply(403, { status: 403, code: "records.forbidden", detail: "You may not." }),
    });
    await press("Check");
    await screen.findByText("You may not.");
    await button("Check");
    states = [state({ state: "failed", created: 0, error: "The file breaks off.", errors: [] })];
    server.use({ "POST /api/planner/cards/import": () => new Reply(202, { job: "j1" }) });
    await press("Check");
    await screen.findByText("The file breaks off.");
  });

  it("uploads large files in resumable chunks", async () => {
    const content = `title\n${"x".repeat(2 * 1024 * 1024)}\n`;
    const tus = new TusServer();
    // Uploads use requests of their own to this server; the fake server gets all others.
    const base = document.head.appendChild(document.createElement("base"));
    base.href = await tus.start();
    try {
      tus.cutAfter = 1024 * 1024;
      await open(content);
      states = [state({ wrong: 0, errors: [] })];
      await press("Check");
      await screen.findByText("Import 1 record");
      expect(tus.uploads.get("1")?.bytes.toString()).toBe(content);
      expect(tus.log.map((line) => line.split(" ")[0])).toEqual(["POST", "PATCH", "HEAD", "PATCH"]);
      expect(imports().at(-1)).toMatchObject({ upload: "1" });
      expect(imports().at(-1)).not.toHaveProperty("text");
      tus.refuse = { status: 404, code: "http.not_found", detail: "No uploads." };
      await press("Back");
      await press("Check");
      await screen.findByText(/larger than 1 MB, the maximum here/);
      // One that was begun and is lost says so.
      tus.refuse = null;
      tus.forgets = true;
      await press("Check");
      await screen.findByText(/This does not exist, or you do not have access/);
      expect(screen.queryByText(/Files of more than 1 MB/)).toBeNull();
    } finally {
      base.remove();
      tus.stop();
    }
  });
});

describe("ExportMenu", () => {
  it("exports what the page shows", async () => {
    const opened: string[] = [];
    const click = vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (
      this: HTMLAnchorElement,
    ) {
      opened.push(this.getAttribute("href") ?? "");
      expect(this.hasAttribute("download")).toBe(true);
    });
    render(
      <ExportMenu
        table={cards}
        options={{ filter: filter`title = ${"a b"}`, fields: ["title"] }}
      />,
    );
    fireEvent.click(screen.getByRole("button", { name: "Export" }));
    fireEvent.click(await screen.findByText("CSV for Excel"));
    expect(opened).toEqual([
      "/api/planner/cards/export?format=csv&bom=true&filter=title+%3D+%27a+b%27&fields=title",
    ]);
    click.mockRestore();
  });
});
