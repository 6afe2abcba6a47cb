import { createContext, use } from "react";
import { createStore, useStore, type ReadableStore } from "./store.ts";

export type Role = "admin" | "member";

export interface User {
  id: string;
  login: string;
  name: string;
  role: Role;
}

/** `ended`: the user was signed in on this tab, and the session has ended. */
export type SessionStatus = "signed-in" | "signed-out" | "ended";

export interface Session {
  status: SessionStatus;
  user: User | null;
  permissions: readonly string[];
  /**
   * Ids of the groups that the user belongs to, as of the last time the shell asked: with the page, and after a
   * lost connection. No event reports a change; the host checks the rights of each request.
   */
  groups: readonly string[];
}

export const signedOut: Session = { status: "signed-out", user: null, permissions: [], groups: [] };

const SessionContext = createContext<ReadableStore<Session>>(createStore(signedOut));
export const SessionProvider = SessionContext.Provider;

export function useSession(): Session {
  return useStore(use(SessionContext));
}

/** The signed-in user. Pages are only shown to one, so there is always one. */
export function useUser(): User {
  const { user } = useSession();
  if (!user) throw new Error("no user is signed in");
  return user;
}

/** Whether the user holds a permission. The host decides; use this to hide what would fail. */
export function usePermission(permission: string): boolean {
  return useSession().permissions.includes(permission);
}
