import { Reply } from "@tenon/testing";
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  demo,
  Events,
  run,
  server,
  services,
  shellOf,
  site,
  start,
  notify,
  setUpSite,
} from "./site.tsx";

setUpSite();

describe("offline", () => {
  const goOffline = () => run(() => setNetwork(false));
  const goOnline = async () => {
    await run(() => setNetwork(true));
    await run(() => Events.last?.greet());
  };
  function setNetwork(has: boolean) {
    vi.spyOn(navigator, "onLine", "get").mockReturnValue(has);
    window.dispatchEvent(new Event(has ? "online" : "offline"));
  }
  const bars = () =>
    [...document.querySelectorAll(".shell-notice, .shell-follow")].map(
      ({ textContent }) => textContent,
    );
  const begin = async (path: string) => {
    await start(path);
    services.events.start();
    await run(() => Events.last?.greet());
  };
  afterEach(() => {
    setNetwork(true);
    services.events.stop();
  });

  it("refetches failed reads when the connection returns", async () => {
    await begin("/app/demo");
    await goOffline();
    server.use({ "GET /api/demo/text": () => new Reply(503, { code: "client.offline" }) });
    await run(() => services.history.push("/app/demo/read"));
    expect(await screen.findByRole("heading", { name: "Not read" })).toBeTruthy();
    server.use({ "GET /api/demo/text": () => ({ text: "Chapter 1" }) });
    await goOnline();
    expect(await screen.findByRole("heading", { name: "Chapter 1" })).toBeTruthy();
    expect(server.requests.filter(({ path }) => path === "/api/demo/text")).toHaveLength(2);
  });

  it("reloads a failed page when the connection returns", async () => {
    await begin("/");
    site.broken = true;
    await goOffline();
    await run(() => services.history.push("/app/demo"));
    expect(
      await screen.findByRole("heading", { name: "Something went wrong in Demo" }),
    ).toBeTruthy();
    site.broken = false;
    await goOnline();
    expect(await screen.findByRole("heading", { name: "Things" })).toBeTruthy();
  });

  it("keeps a crashed page when the connection returns", async () => {
    site.crashing = true;
    await begin("/app/demo");
    await goOffline();
    site.crashing = false;
    await goOnline();
    expect(screen.getByRole("heading", { name: "Something went wrong in Demo" })).toBeTruthy();
  });

  it("shows that changes cannot be saved", async () => {
    await begin("/app/demo");
    expect(bars()).toEqual([]);
    await goOffline();
    expect(bars()).toEqual([
      "You are offline. Changes cannot be saved, and this page may be out of date.",
    ]);
    await goOnline();
    expect(bars()).toEqual([]);
  });

  it("promises kept changes only if all are kept", async () => {
    site.keeps = true;
    await begin("/app/demo");
    await goOffline();
    expect(bars()).toEqual([
      "You are offline. Your changes are kept in this browser and saved when you are back online.",
    ]);
    site.guard = () => true;
    await run(() => fireEvent.click(screen.getByRole("button", { name: "Clicked 0" })));
    expect(bars()).toEqual([expect.stringMatching(/Changes cannot be saved/)]);
  });

  it("offers an update after the connection returns", async () => {
    await begin("/app/demo");
    await run(() => fireEvent.input(screen.getByLabelText("Name"), { target: { value: "Ada" } }));
    const upgraded = { ...demo, module: "/ui/plugins/demo/entry.2.js", version: "1.1.0" };
    await notify({ id: "demo", state: "active", plugin: { ...upgraded, generation: 2 } });
    const offer = expect.stringMatching(/^Demo was upgraded to 1.1.0/) as string;
    await waitFor(() => expect(bars()).toEqual([offer]));
    await goOffline();
    expect(bars()).toEqual([expect.stringMatching(/^You are offline/)]);
    server.use({ "GET /api/core/shell": () => shellOf([{ ...upgraded, generation: 2 }]) });
    await goOnline();
    await waitFor(() => expect(bars()).toEqual([offer]));
  });
});
