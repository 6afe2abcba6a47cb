import { createContext, use, useEffect, useRef } from "react";
import type { Dispose } from "./store.ts";

/** Asked before the page is left; `false` keeps it. Save here, and ask only when that fails. */
export type LeaveGuard = () => boolean | Promise<boolean>;

export interface LeaveGuards {
  add(guard: LeaveGuard): Dispose;
}

const GuardContext = createContext<LeaveGuards>({ add: () => () => undefined });
export const LeaveGuardProvider = GuardContext.Provider;

/** Guards the page while `active`. Closing the tab then asks the browser's own question. */
export function useLeaveGuard(active: boolean, guard: LeaveGuard): void {
  const guards = use(GuardContext);
  const latest = useRef(guard);
  useEffect(() => {
    latest.current = guard;
  });
  useEffect(() => {
    if (!active) return;
    return guards.add(() => latest.current());
  }, [guards, active]);
}
