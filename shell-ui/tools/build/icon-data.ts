import { contentHash, readIcon, readIconNames, type IconShapes } from "@tenon/rollup-preset";

export interface IconData {
  /** Folder below the assets; its name holds the content's hash. */
  folder: string;
  /** Name of a file, and its text: icons whose names begin with the same two letters. */
  files: ReadonlyMap<string, string>;
}

/** All of lucide as data, for the names that manifests give and the shell does not have at hand. */
export async function iconData(): Promise<IconData> {
  const groups = new Map<string, Record<string, IconShapes>>();
  for (const name of await readIconNames()) {
    const shapes = await readIcon(name);
    if (!shapes) continue;
    const key = name.slice(0, 2);
    groups.set(key, { ...groups.get(key), [name]: shapes });
  }
  const files = new Map([...groups].map(([key, icons]) => [`${key}.json`, JSON.stringify(icons)]));
  return { folder: `icons.${contentHash([...files.values()].join(""))}`, files };
}
