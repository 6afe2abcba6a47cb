import { createRoot } from "react-dom/client";
import { App, preloadFirstPage } from "./app.tsx";
import { readBoot } from "./boot.ts";
import { followVisibility } from "./live/visibility.ts";
import { reportCrashes } from "./plugins/crashes.ts";
import { createServices } from "./services.ts";
import { startTheme } from "./theme.ts";

startTheme();
const services = createServices(readBoot());
reportCrashes(services.registry);

const isSignedIn = () => services.session.get().status === "signed-in";
followVisibility(services.events, isSignedIn);
function start(): void {
  const root = document.getElementById("root");
  if (!root) return;
  createRoot(root, {
    onUncaughtError(error) {
      console.error(error);
      root.textContent = "This page stopped working. Reload it to continue.";
    },
  }).render(<App services={services} />);
}

// A skeleton is painted only where the page takes longer than this.
const maxWait = 200;
const waited = new Promise<void>((resolve) => setTimeout(resolve, maxWait));
void Promise.race([preloadFirstPage(services), waited]).then(start);
