import { FolderInput } from "lucide-react";
import { useEffect, useState, type RefObject } from "react";
import { ask } from "./dialog-state.ts";
import { usePlace } from "./place-context.tsx";

const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;

/** Folders, zip archives and Markdown files can be dropped anywhere on the page. */
export function DropToImport({ root }: { root: RefObject<HTMLElement | null> }) {
  const [over, setOver] = useState(false);
  const { place } = usePlace();
  const notebook = place.view.kind === "notebook" ? place.view.id : null;

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
          setOver(true);
        },
      ],
      [
        "dragleave",
        (event) => {
          if (!hasFiles(event)) return;
          depth -= 1;
          if (depth <= 0) setOver(false);
        },
      ],
      ["dragover", (event) => hasFiles(event) && event.preventDefault()],
      [
        "drop",
        (event) => {
          depth = 0;
          setOver(false);
          if (!hasFiles(event) || !event.dataTransfer) return;
          event.preventDefault();
          event.stopPropagation();
          // Gone when the event is over.
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
        <FolderInput size={24} />
        Drop folders, zip archives or Markdown files to import them
      </div>
    </div>
  );
}
