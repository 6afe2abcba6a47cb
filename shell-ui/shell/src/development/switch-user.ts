import { coreApi } from "@tenon/ui";
import type { BuildReport } from "./build-overlay.tsx";

/** The data of an event of `tenon dev`: a failure, null after it, or the user to sign in as. */
export type DevelopmentEvent = BuildReport | { sign_in: Credentials } | null;

interface Credentials {
  login: string;
  password: string;
}

/** Signs in as another sample user and loads the page again. */
export async function switchUser(credentials: Credentials): Promise<void> {
  await coreApi.post("session", credentials);
  location.reload();
}
