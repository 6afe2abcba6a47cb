import { IconButton, SearchInput } from "@tenon/ui";
import { X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useNotesLocation } from "../app/location-context.tsx";
import { focusList } from "../app/use-notes-commands.ts";
import type { View } from "../model/location.ts";

const pause = 120;

/** Searches as a person types; the query is in the address. */
export function SearchField({ view, title }: { view: View; title: string }) {
  const { location, go } = useNotesLocation();
  const [typed, setTyped] = useState(location.query);
  const sent = useRef(location.query);
  const timer = useRef(0);

  // Back, forward and links change it too.
  useEffect(() => {
    if (location.query === sent.current) return;
    sent.current = location.query;
    setTyped(location.query);
  }, [location.query]);
  useEffect(() => () => clearTimeout(timer.current), []);

  const change = (query: string) => {
    setTyped(query);
    clearTimeout(timer.current);
    timer.current = window.setTimeout(
      () => {
        sent.current = query;
        // Each letter is not a page to come back to.
        go({ query }, { replace: location.query !== "" && query !== "" });
      },
      query === "" ? 0 : pause,
    );
  };
  const label = view.kind === "tag" ? `Search in ${title}` : "Search notes";

  return (
    <div className="notes-search" role="search">
      <SearchInput
        label={label}
        value={typed}
        maxLength={200}
        spellCheck={false}
        autoComplete="off"
        aria-keyshortcuts="/"
        onChange={(event) => change(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape" && typed !== "") change("");
          else if (event.key === "Escape") event.currentTarget.blur();
          else if (event.key === "ArrowDown" || event.key === "Enter") focusList();
          else return;
          event.preventDefault();
        }}
      />
      {typed !== "" && (
        <IconButton icon={X} label="Clear the search" size="small" onClick={() => change("")} />
      )}
    </div>
  );
}
