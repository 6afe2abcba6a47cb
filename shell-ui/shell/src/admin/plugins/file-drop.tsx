import { Button } from "@tenon/ui";
import { PackageOpen, type LucideIcon } from "lucide-react";
import { useEffect, useId, useRef, useState, type ReactNode } from "react";

/** Takes a file that is dropped anywhere in the window; says whether one is above it. */
export function useFileDrop(onFile: ((file: File) => void) | null): boolean {
  const [isDragOver, setDragOver] = useState(false);
  const take = useRef(onFile);
  useEffect(() => {
    take.current = onFile;
  });
  useEffect(() => {
    const isFile = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
    const over = (event: DragEvent) => {
      if (!isFile(event)) return;
      // Also where none is taken: the browser would leave the page for it.
      event.preventDefault();
      setDragOver(take.current !== null);
    };
    const leave = (event: DragEvent) => {
      if (!event.relatedTarget) setDragOver(false);
    };
    const drop = (event: DragEvent) => {
      if (!isFile(event)) return;
      event.preventDefault();
      setDragOver(false);
      const file = event.dataTransfer?.files[0];
      if (file) take.current?.(file);
    };
    window.addEventListener("dragover", over);
    window.addEventListener("dragleave", leave);
    window.addEventListener("drop", drop);
    return () => {
      window.removeEventListener("dragover", over);
      window.removeEventListener("dragleave", leave);
      window.removeEventListener("drop", drop);
    };
  }, []);
  return isDragOver;
}

interface FileZoneProps {
  icon: LucideIcon;
  /** The kind of the file. */
  label: string;
  /** How its name ends. */
  accept: string;
  isDragOver: boolean;
  onFile(file: File): void;
  children: ReactNode;
}

/** Chooses a file; a file can be dropped anywhere in the window. */
export function FileZone({ icon: Icon, label, accept, isDragOver, onFile, children }: FileZoneProps) {
  const input = useRef<HTMLInputElement>(null);
  const hint = useId();
  return (
    <div className="shell-drop" data-over={isDragOver || undefined}>
      <Icon size={24} />
      <p id={hint}>{children}</p>
      <Button
        variant="primary"
        data-autofocus
        aria-describedby={hint}
        onClick={() => input.current?.click()}
      >
        Choose a file
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        accept={accept}
        aria-label={label}
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          event.target.value = "";
          if (file) onFile(file);
        }}
      />
    </div>
  );
}

export function PackageZone({ isDragOver, onFile }: { isDragOver: boolean; onFile(file: File): void }) {
  return (
    <FileZone icon={PackageOpen} label="Package" accept=".tenon" isDragOver={isDragOver} onFile={onFile}>
      Drop a .tenon package here, or
    </FileZone>
  );
}
