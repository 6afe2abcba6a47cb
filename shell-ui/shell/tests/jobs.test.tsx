import { createStore, EventProvider, type ServerEvent } from "@tenon/host";
import { addBrowserParts, fakeServer, Reply, type FakeServer } from "@tenon/testing";
import { Toaster } from "@tenon/ui";
import { act, cleanup, render, screen, waitFor } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { queryClient } from "../src/data/query-scope.tsx";
import type { JobRecord } from "../src/admin/jobs/jobs-api.ts";
import JobsPage from "../src/admin/jobs/jobs-page.tsx";

const job: JobRecord = {
  id: "j1",
  plugin: "mail",
  kind: "send",
  state: "running",
  attempts: 1,
  max_attempts: 5,
  cancel_asked: false,
  key: "",
  schedule: "",
  error: "",
  progress: { done: 3, total: 12, text: "Ada" },
  created: "2026-11-20T10:00:00.000Z",
  run_at: "2026-11-20T10:00:00.000Z",
  started: "2026-11-20T10:00:01.000Z",
  finished: null,
};

let server: FakeServer;
let jobs: readonly JobRecord[];
let notify: ((event: ServerEvent) => void) | undefined;
let reopen: ((missed: boolean) => void) | undefined;

const events = {
  status: createStore("open" as const),
  subscribe(_topic: string, listener: (event: ServerEvent) => void) {
    notify = listener;
    return () => undefined;
  },
  onOpen(listener: (missed: boolean) => void) {
    reopen = listener;
    return () => undefined;
  },
};

const show = () =>
  act(async () => {
    render(
      <EventProvider value={events}>
        <MemoryRouter initialEntries={["/settings/jobs"]}>
          <JobsPage />
          <Toaster />
        </MemoryRouter>
      </EventProvider>,
    );
    await Promise.resolve();
  });

beforeAll(addBrowserParts);
beforeEach(() => {
  queryClient.clear();
  jobs = [job];
  server = fakeServer({
    "GET /api/core/plugins": () => ({ items: [], next: null }),
    "GET /api/core/jobs": () => ({ items: jobs, next: null }),
  });
});
afterEach(() => {
  cleanup();
  server.close();
});

describe("jobs page", () => {
  it("shows the progress of a running job", async () => {
    await show();
    const bar = await screen.findByRole("progressbar", { name: "Progress of send" });
    expect([bar.getAttribute("value"), bar.getAttribute("max")]).toEqual(["3", "12"]);
    expect(screen.getByText("3 of 12 · Ada")).toBeTruthy();
  });

  it("shows a bar only while progress is known", async () => {
    jobs = [
      { ...job, progress: { done: 3, total: 0, text: "Ada" } },
      { ...job, id: "j2", kind: "sweep", state: "done" },
    ];
    await show();
    await screen.findByText("Ada");
    expect(screen.queryByRole("progressbar")).toBeNull();
  });

  it("refetches after changes and after missed events", async () => {
    await show();
    await screen.findByText("Running", { selector: ".t-badge" });
    jobs = [{ ...job, state: "failed", error: "hopeless", finished: job.started }];
    act(() => {
      for (let times = 0; times < 20; ++times)
        notify?.({ topic: "core.jobs", id: "1", data: { id: "j1" } });
    });
    await screen.findByText("hopeless");
    expect(server.requests.filter(({ path }) => path === "/api/core/jobs")).toHaveLength(2);
    jobs = [];
    act(() => reopen?.(true));
    await screen.findByText("No jobs yet");
  });

  it("shows a cancelling job and disables the button", async () => {
    await show();
    server.use({
      "POST /api/core/jobs/:id/cancel": () => {
        jobs = [{ ...job, cancel_asked: true }];
        return jobs[0];
      },
    });
    const cancel = await screen.findByRole("button", { name: "Cancel send" });
    act(() => cancel.click());
    await screen.findByText("Stopping");
    expect(screen.getByRole("button", { name: "Cancel send" })).toHaveProperty("disabled", true);
  });

  it("reports why a job could not be changed", async () => {
    await show();
    const detail = "The job is finished.";
    server.use({
      "POST /api/core/jobs/:id/cancel": () => new Reply(409, { code: "jobs.finished", detail }),
    });
    const reads = () => server.requests.filter(({ path }) => path === "/api/core/jobs").length;
    const read = reads();
    const cancel = await screen.findByRole("button", { name: "Cancel send" });
    act(() => cancel.click());
    await screen.findByText(detail);
    await waitFor(() => expect(reads()).toBeGreaterThan(read));
    expect(cancel).toHaveProperty("disabled", false);
  });
});
