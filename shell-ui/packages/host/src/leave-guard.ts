import { createContext, use, useEffect, useRef } from "react";
import type { Dispose } from "./store.ts";

/** Asked before the page is left; `false` keeps it. Save here, and ask only when that fails. */
export type LeaveGuard = () => boolean | Promise<boolean>;

export interface LeaveGuards {
  add(guard: LeaveGuard): Dispose;
  /** A page is there that says by guards when something of it is not saved. */
  watch?(): Dispose;
  /** Unsaved changes of a page are kept in this browser. */
  keep?(): Dispose;
}

const GuardContext = createContext<LeaveGuards>({ add: () => () => undefined });
export const LeaveGuardProvider = GuardContext.Provider;

/**
 * Guards the page while `active`: something of it is not saved. Closing the tab then asks the browser's own question, and when the plugin
 * is upgraded the person is asked before the page takes the new version. A page that uses it, active or not, is believed about the text
 * in its editors.
 */
export function useLeaveGuard(active: boolean, guard: LeaveGuard): void {
  const guards = use(GuardContext);
  const latest = useRef(guard);
  useEffect(() => {
    latest.current = guard;
  });
  useEffect(() => guards.watch?.(), [guards]);
  useEffect(() => {
    if (!active) return;
    return guards.add(() => latest.current());
  }, [guards, active]);
}

/**
 * Says while `active` that the page has unsaved changes, and that all of them are kept in this browser and saved later, even if the tab
 * is closed. Without a connection the shell then says so; otherwise it says that changes cannot be saved.
 */
export function useKeptChanges(active: boolean): void {
  const guards = use(GuardContext);
  useEffect(() => (active ? guards.keep?.() : undefined), [guards, active]);
}
