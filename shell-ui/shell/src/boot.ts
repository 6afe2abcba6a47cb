import type { ShellPlugin, User } from "@tenon/host";
import type { BuildReport } from "./development/build-overlay.tsx";

export interface SessionResponse {
  user: User;
  permissions: readonly string[];
  groups: readonly string[];
}

/** `/api/core/shell`. */
export interface ShellResponse extends SessionResponse {
  name: string;
  plugins: readonly ShellPlugin[];
}

/** What the host writes into the page, so that the first paint asks for nothing. */
export interface BootData {
  name: string;
  session: SessionResponse | null;
  /** No account exists yet. */
  setup: boolean;
  shell: ShellResponse | null;
  /** Number of the last event that the data knows of. */
  snapshot?: number;
  /** Only from a server of `tenon dev`: what does not build now. */
  report?: BuildReport | null;
}

export function readBoot(): BootData {
  const text = document.getElementById("tenon-boot")?.textContent ?? "{}";
  const {
    name = "Tenon",
    session = null,
    setup = false,
    shell = null,
    snapshot,
    report,
  } = JSON.parse(text) as Partial<BootData>;
  return { name, session, setup, shell, snapshot, report };
}
