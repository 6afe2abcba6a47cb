import { coreApi } from "@tenon/ui";
import type { BuildReport } from "./build-overlay.tsx";
import type { RuntimeError } from "./runtime-error.ts";

/**
 * The data of an event of `tenon dev`: a failure, null after it, an error at run time, the user to sign in as, or a
 * page to open.
 */
export type DevelopmentEvent =
  BuildReport | { error: RuntimeError } | { sign_in: Credentials } | { open: string } | null;

interface Credentials {
  login: string;
  password: string;
}

/** Signs in as another sample user and loads the page again. */
export async function switchUser(credentials: Credentials): Promise<void> {
  await coreApi.post("session", credentials);
  location.reload();
}
