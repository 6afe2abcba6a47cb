import { createContext, use } from "react";

const PendingContext = createContext(false);
export const PendingProvider = PendingContext.Provider;

/** Whether a page was asked for that cannot be shown yet. */
export function useNavigationPending(): boolean {
  return use(PendingContext);
}
