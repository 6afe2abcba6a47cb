import type { ShellPlugin, User } from "@tenon/host";

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
}

export function readBoot(): BootData {
  const text = document.getElementById("tenon-boot")?.textContent ?? "{}";
  const {
    name = "Tenon",
    session = null,
    setup = false,
    shell = null,
    snapshot,
  } = JSON.parse(text) as Partial<BootData>;
  return { name, session, setup, shell, snapshot };
}
