import { useNavigationPending } from "../navigation/pending.ts";

/** A thin line at the top while the next page loads; CSS shows it after 150 ms. */
export function PendingBar() {
  return useNavigationPending() ? <div className="shell-pending" aria-hidden /> : null;
}
