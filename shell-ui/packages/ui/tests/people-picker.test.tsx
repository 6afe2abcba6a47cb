import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { addBrowserParts, fakeServer, Reply, type FakeServer } from "@tenon/testing";
import { act, cleanup, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { useState } from "react";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { PeoplePicker, type PeoplePickerProps, type Person } from "../src/forms/index.ts";

const people: readonly Person[] = [
  { kind: "user", id: "u1", name: "Ada Lovelace" },
  { kind: "group", id: "g1", name: "Advisers" },
  { kind: "user", id: "u2", name: "Grace Hopper" },
];

let server: FakeServer;
let chosen: readonly string[];
let known: readonly Person[];

type Given = Partial<Omit<PeoplePickerProps, "value" | "onChange">> & { initial?: string[] };

function Form({ initial = [], ...rest }: Given) {
  const [value, setValue] = useState<readonly string[]>(initial);
  return (
    <PeoplePicker
      label="Share with"
      {...rest}
      value={value}
      onChange={(ids, persons) => {
        chosen = ids;
        known = persons;
        setValue(ids);
      }}
    />
  );
}

function show(props: Given = {}) {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <QueryClientProvider client={queries}>
      <Form {...props} />
    </QueryClientProvider>,
  );
  return screen.getByRole("combobox", { name: "Share with" });
}

async function type(input: HTMLElement, text: string) {
  await act(async () => {
    input.focus();
    fireEvent.change(input, { target: { value: text } });
    await Promise.resolve();
  });
}

const key = (input: HTMLElement, name: string) =>
  act(async () => {
    fireEvent.keyDown(input, { key: name });
    fireEvent.keyUp(input, { key: name });
    await Promise.resolve();
  });

const tags = () => screen.queryAllByRole("row").map((row) => row.textContent);
const asked = () => server.requests.map(({ query }) => query.toString());

beforeAll(addBrowserParts);
beforeEach(() => {
  chosen = [];
  server = fakeServer({
    "GET /api/core/people": ({ query }) => {
      const text = query.get("q")?.toLowerCase();
      const ids = query.get("ids")?.split(",");
      const fits = ({ id, name, kind }: Person) =>
        ids
          ? ids.includes(id)
          : name.toLowerCase().startsWith(text ?? "") && kind === (query.get("kind") ?? kind);
      return { items: people.filter(fits), next: null };
    },
  });
});
afterEach(() => {
  cleanup();
  server.close();
});

describe("PeoplePicker", () => {
  it("sends no request until it is focused", async () => {
    show();
    await act(async () => Promise.resolve());
    expect(asked()).toEqual([]);
  });

  it("finds people by prefix and adds by keyboard", async () => {
    const input = show();
    await type(input, "ad");
    expect(await screen.findByRole("option", { name: /Advisers/ })).toBeTruthy();
    expect(input.getAttribute("aria-expanded")).toBe("true");
    await key(input, "ArrowDown");
    await key(input, "ArrowDown");
    await key(input, "Enter");
    expect(chosen).toEqual(["g1"]);
    expect(known).toEqual([people[1]]);
    await waitFor(() => expect(tags()).toEqual(["Advisers"]));
    expect(screen.getByText("Advisers added").getAttribute("role")).toBe("status");
    expect(input).toHaveProperty("value", "");
  });

  it("hides chosen and excluded people", async () => {
    const input = show({ initial: ["u1"], exclude: ["u2"] });
    await type(input, "a");
    await screen.findByRole("option", { name: /Advisers/ });
    expect(screen.queryByRole("option", { name: /Ada/ })).toBeNull();
    await type(input, "grace");
    await screen.findByText("No matching names");
  });

  it("requests only one kind", async () => {
    const input = show({ kind: "user" });
    await type(input, "ad");
    await screen.findByRole("option", { name: /Ada Lovelace/ });
    expect(screen.queryByRole("option", { name: /Advisers/ })).toBeNull();
  });

  it("shows and removes chosen people", async () => {
    const input = show({ initial: ["u2", "g1", "gone"] });
    await screen.findByText("Grace Hopper");
    expect(asked()).toEqual([new URLSearchParams({ ids: "u2,g1,gone" }).toString()]);
    expect(tags()).toEqual(["Grace Hopper", "Advisers", "Unknown"]);
    act(() => input.focus());
    await key(input, "Backspace");
    expect(chosen).toEqual(["u2", "g1"]);
    const row = screen.getByRole("row", { name: /Grace/ });
    await act(async () => {
      within(row)
        .getByRole("button", { name: /Remove Grace/ })
        .click();
      await Promise.resolve();
    });
    expect(chosen).toEqual(["g1"]);
    expect(screen.getByText("Grace Hopper removed")).toBeTruthy();
  });

  it("replaces the person in a single picker", async () => {
    const input = show({ initial: ["u1"], single: true });
    await type(input, "grace");
    await screen.findByRole("option", { name: /Grace/ });
    await key(input, "ArrowDown");
    await key(input, "Enter");
    expect(chosen).toEqual(["u2"]);
  });

  it("reports that names failed to load", async () => {
    server.use({ "GET /api/core/people": () => new Reply(500, { status: 500, code: "x" }) });
    await type(show(), "a");
    await screen.findByText("Could not load the names.");
  });
});
