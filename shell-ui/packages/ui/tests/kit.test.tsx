import { AssetError } from "@tenon/host";
import { addBrowserParts } from "@tenon/testing";
import { act, cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import {
  Button,
  Checkbox,
  Dialog,
  ErrorState,
  Field,
  FormRow,
  formatRelative,
  Input,
  Problem,
  SegmentedControl,
  StatTile,
  StatTiles,
  Tabs,
  toast,
  Toaster,
  VirtualList,
} from "../src/index.ts";

afterEach(cleanup);

describe("Button", () => {
  it("ignores clicks while busy", () => {
    const onClick = vi.fn();
    render(
      <Button busy onClick={onClick}>
        Save
      </Button>,
    );
    fireEvent.click(screen.getByRole("button", { name: "Save" }));
    expect(onClick).not.toHaveBeenCalled();
  });

  it("does not submit a form by default", () => {
    render(<Button>Save</Button>);
    expect(screen.getByRole("button").getAttribute("type")).toBe("button");
  });
});

describe("Field", () => {
  it("links label, hint and error to its control", () => {
    render(
      <Field label="Title" hint="Short." error="Too long." required>
        <Input />
      </Field>,
    );
    const input = screen.getByLabelText("Title");
    const texts = input
      .getAttribute("aria-describedby")
      ?.split(" ")
      .map((id) => document.getElementById(id)?.textContent);
    expect(texts).toEqual(["Short.", "Too long."]);
    expect(input.getAttribute("aria-invalid")).toBe("true");
    expect(input).toHaveProperty("required", true);
  });
});

describe("FormRow", () => {
  it("links label, hint and error to its control", () => {
    render(
      <FormRow label="Title" hint="Short." error="Too long.">
        <Input />
      </FormRow>,
    );
    const input = screen.getByRole("textbox", { name: "Title", description: "Short. Too long." });
    expect(input.getAttribute("aria-invalid")).toBe("true");
  });

  it("labels a checkbox without a label", () => {
    render(
      <FormRow label="Active" hint="Now.">
        <Checkbox />
      </FormRow>,
    );
    expect(screen.getByRole("checkbox", { name: "Active", description: "Now." })).toBeTruthy();
  });

  it("names a group of controls", () => {
    render(
      <FormRow label="Notify" hint="At most daily." group>
        <Checkbox>Mail</Checkbox>
        <Checkbox>Browser</Checkbox>
      </FormRow>,
    );
    expect(
      screen.getByRole("group", { name: "Notify", description: "At most daily." }),
    ).toBeTruthy();
    expect(screen.getByRole("checkbox", { name: "Browser" })).toBeTruthy();
  });
});

describe("StatTile", () => {
  it("shows a figure with its name and change", () => {
    const { container } = render(
      <MemoryRouter>
        <StatTiles>
          <StatTile
            label="Cards"
            value="1,204"
            change="12 more than yesterday"
            trend="up"
            to="/cards"
          />
        </StatTiles>
      </MemoryRouter>,
    );
    expect(container.querySelector("dl")?.textContent).toBe("Cards1,20412 more than yesterday");
    expect(screen.getByRole("link", { name: "Cards" }).getAttribute("href")).toBe("/cards");
  });
});

describe("ErrorState", () => {
  it("shows the message and the request id", () => {
    const problem = new Problem({
      status: 500,
      code: "data.full",
      message: "The disk is full.",
      requestId: "r9",
    });
    render(<ErrorState error={problem} />);
    expect(screen.getByText("The disk is full.")).toBeTruthy();
    expect(screen.getByText(/request id r9/)).toBeTruthy();
  });

  it.each([
    new AssetError("/ui/plugins/demo/entry.1.js"),
    new TypeError("Failed to fetch dynamically imported module: http://localhost/ui/a.js"),
    new TypeError("error loading dynamically imported module: http://localhost/ui/a.js"),
    new TypeError("Importing a module script failed."),
  ])("says that code did not load: %s", (error) => {
    render(<ErrorState error={error} />);
    expect(screen.getByRole("alert").textContent).toContain(
      "Part of the app did not load. Check your connection.",
    );
  });

  it("hides the stack from the message", () => {
    const { container } = render(<ErrorState error={new TypeError("x is undefined")} />);
    expect(container.querySelector("p")?.textContent).not.toMatch(/undefined/);
  });
});

describe("Toaster", () => {
  beforeAll(addBrowserParts);

  it("moves into an open dialog and back", async () => {
    const undo = vi.fn();
    const region = () => screen.getByRole("region", { name: "Notifications", hidden: true });
    const body = (isOpen: boolean, isThere = true) => (
      <>
        {isThere && (
          <Dialog open={isOpen} onClose={vi.fn()} title="Rename">
            <Input />
          </Dialog>
        )}
        <Toaster />
      </>
    );
    const { rerender } = render(body(false));
    act(() => void toast("Note moved", { action: { label: "Move back", run: undo }, duration: 0 }));
    expect(region().closest("dialog")).toBeNull();
    rerender(body(true));
    await waitFor(() => expect(region().closest("dialog")).toBe(screen.getByRole("dialog")));
    rerender(body(false));
    await waitFor(() => expect(region().closest("dialog")).toBeNull());
    rerender(body(true));
    await waitFor(() => expect(region().closest("dialog")).not.toBeNull());
    rerender(body(true, false));
    await waitFor(() => expect(document.body.contains(region())).toBe(true));
    fireEvent.click(screen.getByRole("button", { name: "Move back", hidden: true }));
    expect(undo).toHaveBeenCalledOnce();
  });
});

describe("Tabs", () => {
  it("moves with arrow keys and shows one panel", () => {
    const onChange = vi.fn();
    const items = ["a", "b", "c"].map((id) => ({ id, title: id, content: `panel ${id}` }));
    render(<Tabs label="Parts" items={items} value="c" onChange={onChange} />);
    expect(screen.getByRole("tabpanel").textContent).toBe("panel c");
    fireEvent.keyDown(screen.getByRole("tab", { name: "c" }), { key: "ArrowRight" });
    expect(onChange).toHaveBeenCalledWith("a");
    fireEvent.keyDown(screen.getByRole("tab", { name: "c" }), { key: "ArrowLeft" });
    expect(onChange).toHaveBeenCalledWith("b");
  });
});

describe("SegmentedControl", () => {
  it("reports the chosen value", () => {
    const onChange = vi.fn();
    render(
      <SegmentedControl
        label="Theme"
        value="light"
        onChange={onChange}
        options={[
          { value: "light", label: "Light" },
          { value: "dark", label: "Dark" },
        ]}
      />,
    );
    fireEvent.click(screen.getByLabelText("Dark"));
    expect(onChange).toHaveBeenCalledWith("dark");
  });
});

describe("VirtualList", () => {
  beforeAll(() => {
    vi.stubGlobal(
      "ResizeObserver",
      class {
        observe() {}
        disconnect() {}
      },
    );
    Object.defineProperty(HTMLElement.prototype, "clientHeight", {
      get: () => 360,
      configurable: true,
    });
  });
  // Element's own shows again.
  afterAll(() => {
    vi.unstubAllGlobals();
    Reflect.deleteProperty(HTMLElement.prototype, "clientHeight");
  });

  const items = Array.from({ length: 10_000 }, (_, index) => ({ id: `n${index}` }));
  const list = (props: Partial<Parameters<typeof VirtualList<{ id: string }>>[0]> = {}) => (
    <VirtualList
      items={items}
      itemKey={({ id }) => id}
      rowHeight={36}
      label="Notes"
      renderItem={({ id }) => id}
      onOpen={() => undefined}
      {...props}
    />
  );

  it("renders only visible rows", () => {
    render(list());
    expect(screen.getAllByRole("option").length).toBeLessThan(30);
    expect(screen.getAllByRole("option")[0]?.getAttribute("aria-setsize")).toBe("10000");
  });

  it("moves, scrolls, opens and deletes by key", () => {
    const onOpen = vi.fn();
    const onDelete = vi.fn();
    render(list({ onOpen, onDelete }));
    const box = screen.getByRole("listbox");
    fireEvent.focus(box);
    fireEvent.keyDown(box, { key: "End" });
    fireEvent.scroll(box);
    const active = box.getAttribute("aria-activedescendant") ?? "";
    expect(document.getElementById(active)?.textContent).toBe("n9999");
    fireEvent.keyDown(box, { key: "ArrowUp" });
    fireEvent.keyDown(box, { key: "Enter" });
    expect(onOpen).toHaveBeenCalledWith({ id: "n9998" });
    fireEvent.keyDown(box, { key: "Delete" });
    expect(onDelete).toHaveBeenCalledWith({ id: "n9998" });
  });

  it("ignores keys with modifiers", () => {
    const onOpen = vi.fn();
    render(list({ onOpen }));
    fireEvent.keyDown(screen.getByRole("listbox"), { key: "Enter", ctrlKey: true });
    expect(onOpen).not.toHaveBeenCalled();
  });
});

describe("formatRelative", () => {
  const now = new Date("2026-11-20T12:00:00Z");
  it.each([
    ["2026-11-20T11:59:40Z", "just now"],
    ["2026-11-20T11:57:00Z", "3 minutes ago"],
    ["2026-11-19T12:00:00Z", "yesterday"],
    ["2026-11-21T13:00:00Z", "tomorrow"],
    ["2024-11-20T12:00:00Z", "2 years ago"],
  ])("says %s as %s", (time, text) => {
    expect(formatRelative(new Date(time), now)).toBe(text);
  });
});
