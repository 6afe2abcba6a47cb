import { IconButton } from "@tenon/ui";
import { ArrowLeft } from "lucide-react";
import { useNotesLocation } from "../app/location-context.tsx";

/** From the note to the list, where one pane is shown at a time. */
export function BackButton() {
  const { go } = useNotesLocation();
  return (
    <IconButton icon={ArrowLeft} label="Back to the list" onClick={() => go({ note: null })} />
  );
}
