import { useStore } from "@tenon/host";
import { IconButton, phone, toast, useMediaQuery } from "@tenon/ui/frame";
import { PanelLeft } from "lucide-react";
import { Suspense, useDeferredValue, useEffect, useRef, useState } from "react";
import { useLocation } from "react-router";
import type { BuildOverlayProps } from "../development/build-overlay.tsx";
import { lazyPage } from "../navigation/lazy-page.tsx";
import { ConnectionNotice } from "./connection-notice.tsx";
import { Drawer } from "./drawer.tsx";
import { overlay } from "./overlay.ts";
import { useServices } from "../services.ts";
import { ErrorBoundary, PageBoundary } from "./page-boundary.tsx";
import { PageSkeleton } from "./page-skeleton.tsx";
import { Pages } from "./pages.tsx";
import { PendingBar } from "./pending-bar.tsx";
import { useRecorder } from "./recorder.ts";
import { useRouteFocus } from "./route-focus.ts";
import { useScrollMemory } from "./scroll-memory.ts";
import { useShellCommands } from "./shell-commands.ts";
import { useShortcuts } from "./shortcuts.ts";
import { SideBar } from "./side-bar.tsx";

const Palette = lazyPage(() => import("../palette/palette.tsx"), { stays: true });
const BuildOverlay = lazyPage<BuildOverlayProps>(() => import("../development/build-overlay.tsx"), {
  stays: true,
});
const ShortcutSheet = lazyPage(() => import("../palette/shortcut-sheet.tsx"), { stays: true });

/** Side bar and page. */
export function Frame() {
  const isPhone = useMediaQuery(phone);
  const { key } = useLocation();
  const main = useRef<HTMLElement>(null);
  const [drawerAt, setDrawerAt] = useState<string | null>(null);
  const wanted = useStore(overlay);
  // Opens when its code is here; closes at once.
  const ready = useDeferredValue(wanted);
  const shown = wanted && ready;
  const { report: reports } = useServices();
  const report = useStore(reports);
  useShellCommands();
  useShortcuts();
  useRouteFocus(main);
  useScrollMemory(main);
  useRecorder();

  return (
    <div className="shell">
      <a
        className="shell-skip t-button"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        Skip to content
      </a>
      {isPhone ? (
        // The location where it was opened: any navigation closes it.
        <Drawer open={drawerAt === key} onClose={() => setDrawerAt(null)} />
      ) : (
        <SideBar />
      )}
      <div className="shell-body">
        <ConnectionNotice />
        <main id="main" className="shell-main" ref={main} tabIndex={-1}>
          {isPhone && (
            <div className="shell-menu">
              <IconButton icon={PanelLeft} label="Navigation" onClick={() => setDrawerAt(key)} />
            </div>
          )}
          <PendingBar />
          <PageBoundary>
            <Suspense fallback={<PageSkeleton />}>
              <Pages />
            </Suspense>
          </PageBoundary>
        </main>
      </div>
      <ErrorBoundary resetKey={shown ?? ""} fallback={() => <NotLoaded />}>
        <Suspense>
          {report && <BuildOverlay report={report} onClose={() => reports.set(null)} />}
          {shown === "palette" && <Palette />}
          {shown === "shortcuts" && <ShortcutSheet />}
        </Suspense>
      </ErrorBoundary>
    </div>
  );
}

/** The palette or the shortcuts failed to load, which must not end the page. */
function NotLoaded() {
  useEffect(() => {
    overlay.set(null);
    toast("Part of the app did not load. Check your connection.", { tone: "danger" });
  }, []);
  return null;
}
