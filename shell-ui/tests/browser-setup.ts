import { configure } from "@testing-library/react";
import { afterAll, beforeEach, vi } from "vitest";
import { dismissAll } from "../packages/ui/src/kit/toast.tsx";

// Long enough for a machine that is busy with other work.
const timeout = 20_000;
configure({ asyncUtilTimeout: timeout });
const { waitFor } = vi;
vi.waitFor = (callback, options) =>
  waitFor(callback, typeof options === "number" ? options : { timeout, ...options });

beforeEach(dismissAll);

// The files of a worker share its modules and its page.
afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  if (typeof document === "undefined") return;
  document.body.replaceChildren();
  document.head.replaceChildren();
  localStorage.clear();
  sessionStorage.clear();
});
