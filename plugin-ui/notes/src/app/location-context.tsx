import { createContext, use, useCallback, useMemo, type ReactNode } from "react";
import { useLocation, useNavigate } from "react-router";
import { parsePlace, placePath, type NotesLocation } from "../model/location.ts";

export interface PlaceActions {
  place: NotesLocation;
  /** Goes to a location that differs from this one only in `change`; panels close when another note is opened. */
  go(change: Partial<NotesLocation>, options?: { replace?: boolean; state?: unknown }): void;
  /** Returns the address of that location, for a link. */
  href(change: Partial<NotesLocation>): string;
}

const PlaceContext = createContext<PlaceActions | null>(null);

export function usePlace(): PlaceActions {
  const context = use(PlaceContext);
  if (!context) throw new Error("usePlace() outside of the notes page");
  return context;
}

function changed(place: NotesLocation, change: Partial<NotesLocation>): Partial<NotesLocation> {
  const next = { ...place, ...change };
  if (change.note !== undefined && change.note !== place.note) {
    next.fresh = change.fresh ?? false;
    next.revision = change.revision ?? null;
  }
  if (change.view) {
    next.note = change.note ?? null;
    next.query = change.query ?? "";
  }
  return next;
}

/** Reads the place from the address. */
export function PlaceProvider({
  children,
  fallback,
}: {
  children: ReactNode;
  fallback: ReactNode;
}) {
  const { pathname, search } = useLocation();
  const navigate = useNavigate();
  const place = useMemo(() => parsePlace(pathname, search), [pathname, search]);
  const href = useCallback(
    (change: Partial<NotesLocation>) => (place ? placePath(changed(place, change)) : ""),
    [place],
  );
  const value = useMemo<PlaceActions | null>(
    () =>
      place && {
        place,
        href,
        go: (change, options) => void navigate(href(change), options),
      },
    [place, href, navigate],
  );
  return value ? <PlaceContext value={value}>{children}</PlaceContext> : fallback;
}
