import { fireEvent, screen } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { Events, run, services, setUpSite, start } from "./site.tsx";

setUpSite();

describe("build overlay", () => {
  afterEach(() => services.events.stop());
  const report = (data: unknown) =>
    run(() =>
      Events.last?.listeners.get("core.development")?.(
        new MessageEvent("core.development", { data: JSON.stringify(data) }),
      ),
    );
  const begin = async (boot = {}) => {
    await start("/", boot);
    services.events.start();
    await run(() => Events.last?.greet());
  };

  it("shows a report until the next build succeeds", async () => {
    await begin({ report: null });
    expect(screen.queryByRole("alert")).toBeNull();
    await report({ title: "The page does not build", message: "src/index.tsx:1:2: wrong" });
    expect(await screen.findByRole("alert", { name: "The page does not build" })).toBeTruthy();
    expect(screen.getByText("src/index.tsx:1:2: wrong")).toBeTruthy();
    await report(null);
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it("shows the report in a page opened later", async () => {
    await begin({ report: { title: "The page does not build", message: "wrong" } });
    fireEvent.click(await screen.findByRole("button", { name: "Close" }));
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it("shows errors of one request together", async () => {
    await begin({ report: null });
    const error = {
      plugin: "notes",
      message: "the database rejected a statement of the plugin",
      route: "GET /api/notes/x",
      request_id: "r1",
      details: { code: "data.sql", statement: "SELECT titel" },
    };
    await report({ error });
    const overlay = await screen.findByRole("alert", { name: "GET /api/notes/x failed" });
    expect(overlay.textContent).toContain("statement: SELECT titel");
    expect(overlay.textContent).toContain("Request r1.");
    expect(screen.getByRole("link", { name: "Explanation of data.sql" })).toBeTruthy();
    await report({ error: { ...error, message: "a handler failed", details: {} } });
    expect(overlay.textContent).toContain("SELECT titel");
    expect(overlay.textContent).toContain("a handler failed");
  });

  it("does not listen on other servers", async () => {
    await begin();
    expect(Events.last?.listeners.has("core.development")).toBe(false);
  });
});
