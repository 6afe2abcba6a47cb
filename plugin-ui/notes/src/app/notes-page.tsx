import { useLeaveGuard, useStore } from "@tenon/host";
import { EmptyState, LinkButton, PageHeader } from "@tenon/ui";
import { SearchX } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { ListPane } from "../list/list-pane.tsx";
import { NavDrawer } from "../nav/nav-drawer.tsx";
import { NavPane } from "../nav/nav-pane.tsx";
import { DetailPane } from "./detail-pane.tsx";
import { dialog } from "./dialog-state.ts";
import { DropToImport } from "./drop-to-import.tsx";
import { lazyComponent } from "./lazy.tsx";
import { useDrops } from "./use-drops.ts";
import { useLayout } from "./layout.ts";
import { LocationProvider, useNotesLocation } from "./location-context.tsx";
import { importState, isRunning } from "../transfer/transfer-state.ts";
import { editorMode } from "./preference.ts";
import { useLive } from "./use-live.ts";
import { useNotesCommands } from "./use-notes-commands.ts";
import { useRecovery } from "./use-recovery.ts";

const Dialogs = lazyComponent(() =>
  import("../dialogs/dialogs.tsx").then(({ Dialogs }) => Dialogs),
);

export function NotesPage() {
  return (
    <LocationProvider fallback={<NothingHere />}>
      <Panes />
    </LocationProvider>
  );
}

function Panes() {
  const root = useRef<HTMLDivElement>(null);
  const width = useLayout(root);
  const { location } = useNotesLocation();
  const mode = useStore(editorMode);
  const asked = useStore(dialog);
  const [drawer, setDrawer] = useState(false);
  const unresolved = useRecovery();
  const imports = useStore(importState, (state) => state !== null && isRunning(state));
  useNotesCommands();
  useDrops();
  useLive();
  // Other pages may be looked at meanwhile; closing the tab would end it.
  useLeaveGuard(imports, () => true);

  // Two texts side by side need the room of the notebooks.
  const layout = width === "wide" && location.note && mode === "split" ? "medium" : width;
  useEffect(() => setDrawer(false), [location.view, layout]);
  const inDrawer = layout !== "wide";

  return (
    <div
      ref={root}
      className="notes"
      data-layout={layout}
      data-detail={location.note ? "" : undefined}
    >
      {!inDrawer && (
        <div className="notes-nav">
          <NavPane unresolved={unresolved} />
        </div>
      )}
      <div className="notes-list">
        <ListPane onShowNotebooks={inDrawer ? () => setDrawer(true) : undefined} />
      </div>
      <div className="notes-detail">
        <DetailPane narrow={layout === "narrow"} />
      </div>
      {inDrawer && (
        <NavDrawer open={drawer} onClose={() => setDrawer(false)}>
          <NavPane unresolved={unresolved} />
        </NavDrawer>
      )}
      <DropToImport root={root} />
      {asked && <Dialogs />}
    </div>
  );
}

function NothingHere() {
  return (
    <>
      <PageHeader title="Not found" />
      <EmptyState
        icon={SearchX}
        title="There is nothing at this address"
        action={<LinkButton to="/app/notes">All notes</LinkButton>}
      >
        Check the address, or go back to your notes.
      </EmptyState>
    </>
  );
}
