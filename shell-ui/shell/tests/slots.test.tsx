import { screen, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { demo, setUpSite, start } from "./site.tsx";

setUpSite();

const contributing = (contributions: (typeof demo)["contributions"]) => [
  { ...demo, contributions },
];

describe("slots", () => {
  it("show contributions with the props of the page", async () => {
    await start(
      "/app/demo/things/7",
      {},
      contributing({ "demo.thing.aside": [{ id: "count", title: "Parts" }] }),
    );
    const part = within(await screen.findByRole("region", { name: "Parts" }));
    expect(await part.findByText("Thing 7 has 3 parts")).toBeTruthy();
  });

  it("keep the page when a contribution throws", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    await start(
      "/app/demo/things/7",
      {},
      contributing({
        "demo.thing.aside": [
          { id: "broken", title: "Broken" },
          { id: "missing", title: "Missing" },
          { id: "count", title: "Parts" },
        ],
      }),
    );
    const broken = within(await screen.findByRole("region", { name: "Broken" }));
    expect(await broken.findByRole("button", { name: "Retry" })).toBeTruthy();
    const missing = within(screen.getByRole("region", { name: "Missing" }));
    expect(await missing.findByRole("button", { name: "Retry" })).toBeTruthy();
    expect(await screen.findByText("Thing 7 has 3 parts")).toBeTruthy();
    expect(screen.getByRole("heading", { name: "Thing 7" })).toBeTruthy();
    log.mockRestore();
  });

  it("are empty without contributions", async () => {
    await start("/app/demo/things/7", {}, [demo]);
    expect(await screen.findByRole("heading", { name: "Thing 7" })).toBeTruthy();
    expect(screen.queryByRole("region", { name: "Parts" })).toBeNull();
  });

  it("add panels to the account page", async () => {
    await start(
      "/settings/account",
      {},
      contributing({ "account.panels": [{ id: "signature", title: "Signature" }] }),
    );
    const panel = within(await screen.findByRole("region", { name: "Signature" }));
    expect(await panel.findByText("Your signature")).toBeTruthy();
  });
});
