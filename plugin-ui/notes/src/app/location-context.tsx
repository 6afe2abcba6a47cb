import { createContext, use, useCallback, useMemo, type ReactNode } from "react";
import { useLocation, useNavigate } from "react-router";
import { parseLocation, locationPath, type NotesLocation } from "../model/location.ts";

export interface LocationActions {
  location: NotesLocation;
  /** Goes to a location that differs from this one only in `change`; panels close when another note is opened. */
  go(change: Partial<NotesLocation>, options?: { replace?: boolean; state?: unknown }): void;
  /** Returns the address of that location, for a link. */
  href(change: Partial<NotesLocation>): string;
}

const LocationContext = createContext<LocationActions | null>(null);

export function useNotesLocation(): LocationActions {
  const context = use(LocationContext);
  if (!context) throw new Error("useNotesLocation() outside of the notes page");
  return context;
}

function changed(location: NotesLocation, change: Partial<NotesLocation>): Partial<NotesLocation> {
  const next = { ...location, ...change };
  if (change.note !== undefined && change.note !== location.note) {
    next.fresh = change.fresh ?? false;
    next.revision = change.revision ?? null;
  }
  if (change.view) {
    next.note = change.note ?? null;
    next.query = change.query ?? "";
  }
  return next;
}

/** Reads the location from the address. */
export function LocationProvider({
  children,
  fallback,
}: {
  children: ReactNode;
  fallback: ReactNode;
}) {
  const { pathname, search } = useLocation();
  const navigate = useNavigate();
  const location = useMemo(() => parseLocation(pathname, search), [pathname, search]);
  const href = useCallback(
    (change: Partial<NotesLocation>) => (location ? locationPath(changed(location, change)) : ""),
    [location],
  );
  const value = useMemo<LocationActions | null>(
    () =>
      location && {
        location,
        href,
        go: (change, options) => void navigate(href(change), options),
      },
    [location, href, navigate],
  );
  return value ? <LocationContext value={value}>{children}</LocationContext> : fallback;
}
