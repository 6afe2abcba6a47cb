import { createIcon, type IconShapes, type IconType } from "@tenon/ui/frame";
import { Folder, ListTodo, NotebookPen, Puzzle } from "lucide-react";
import { Suspense, use } from "react";

/** Drawn at once; any other is fetched with those that begin alike. */
const atHand: Readonly<Record<string, IconType>> = {
  folder: Folder,
  "list-todo": ListTodo,
  "notebook-pen": NotebookPen,
  puzzle: Puzzle,
};

const others = new Map<string, Promise<IconType>>();

async function readIcon(name: string): Promise<IconType> {
  if (!/^[a-z][a-z0-9-]+$/.test(name)) return Puzzle;
  const response = await fetch(`${import.meta.env.TENON_ICONS}/${name.slice(0, 2)}.json`);
  if (!response.ok) return Puzzle;
  const icons = (await response.json()) as Readonly<Record<string, IconShapes>>;
  const shapes = icons[name];
  return shapes ? createIcon(shapes) : Puzzle;
}

function fetchIcon(name: string): Promise<IconType> {
  let pending = others.get(name);
  if (!pending) others.set(name, (pending = readIcon(name).catch(() => Puzzle)));
  return pending;
}

export interface PluginIconProps {
  /** Name of a lucide icon; a puzzle piece when there is none. */
  name?: string;
  size?: number;
}

export function PluginIcon({ name = "puzzle", size = 16 }: PluginIconProps) {
  const Icon = atHand[name];
  if (Icon) return <Icon size={size} />;
  return (
    <Suspense fallback={<svg width={size} height={size} aria-hidden />}>
      <OtherIcon name={name} size={size} />
    </Suspense>
  );
}

function OtherIcon({ name, size }: { name: string; size: number }) {
  const Icon = use(fetchIcon(name));
  // The component comes from a map that keeps it, so it is the same one on each render.
  return <Icon size={size} />;
}
