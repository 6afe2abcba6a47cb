import { FolderInput, Paperclip } from "lucide-react";
import { useEffect, useState, type RefObject } from "react";
import { droppedFiles } from "../attach/dropped-files.ts";
import { ask } from "./dialog-state.ts";
import { useNotesLocation } from "./location-context.tsx";

/** Files dropped on an open note are added to it, if it accepts files; folders are always imported. */
const targetsNote = ({ target }: DragEvent) =>
  droppedFiles.take !== null && target instanceof Element && target.closest(".notes-note") !== null;

const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;

/** Folders, zip archives and Markdown files can be dropped anywhere on the page. */
export function DropToImport({ root }: { root: RefObject<HTMLElement | null> }) {
  const [over, setOver] = useState<"note" | "list" | null>(null);
  const { location } = useNotesLocation();
  const notebook = location.view.kind === "notebook" ? location.view.id : null;

  useEffect(() => {
    const element = root.current;
    if (!element) return;
    // Entering a child comes before leaving its parent.
    let depth = 0;
    const listeners: [string, (event: DragEvent) => void][] = [
      [
        "dragenter",
        (event) => {
          if (!hasFiles(event)) return;
          depth += 1;
          setOver(targetsNote(event) ? "note" : "list");
        },
      ],
      [
        "dragleave",
        (event) => {
          if (!hasFiles(event)) return;
          depth -= 1;
          if (depth <= 0) setOver(null);
        },
      ],
      ["dragover", (event) => hasFiles(event) && event.preventDefault()],
      [
        "drop",
        (event) => {
          depth = 0;
          setOver(null);
          if (!hasFiles(event) || !event.dataTransfer) return;
          event.preventDefault();
          event.stopPropagation();
          const { files } = event.dataTransfer;
          const hasFolder = [...event.dataTransfer.items].some(
            (item) => item.webkitGetAsEntry()?.isDirectory,
          );
          if (targetsNote(event) && !hasFolder && files.length > 0) {
            droppedFiles.take?.([...files]);
            return;
          }
          // Read now: the items are gone when the event ends.
          const entries = [...event.dataTransfer.items].flatMap(
            (item) => item.webkitGetAsEntry() ?? [],
          );
          if (entries.length > 0) ask({ kind: "import", dropped: entries, notebook });
        },
      ],
    ];
    for (const [type, listener] of listeners) {
      element.addEventListener(type, listener as EventListener, { capture: true });
    }
    return () => {
      for (const [type, listener] of listeners) {
        element.removeEventListener(type, listener as EventListener, { capture: true });
      }
    };
  }, [root, notebook]);

  if (!over) return null;
  return (
    <div className="notes-drop" aria-hidden>
      <div>
        {over === "note" ? <Paperclip size={24} /> : <FolderInput size={24} />}
        {over === "note"
          ? "Drop files to attach them to this note"
          : "Drop folders, zip archives or Markdown files to import them"}
      </div>
    </div>
  );
}
