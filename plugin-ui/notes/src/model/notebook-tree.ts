import type { Notebook } from "./types.ts";

export interface TreeNode {
  notebook: Notebook;
  /** From 1. */
  depth: number;
  children: readonly TreeNode[];
  /** Notes in it and in all inside it. */
  total: number;
}

/** The notebooks as a tree, siblings in the order given. One whose parent is missing is at the top. */
export function buildTree(items: readonly Notebook[]): TreeNode[] {
  const known = new Set(items.map(({ id }) => id));
  const inside = new Map<string | null, Notebook[]>();
  for (const item of items) {
    const parent = item.parent !== null && known.has(item.parent) ? item.parent : null;
    inside.set(parent, [...(inside.get(parent) ?? []), item]);
  }
  const grow = (parent: string | null, depth: number): TreeNode[] =>
    (inside.get(parent) ?? []).map((notebook) => {
      const children = grow(notebook.id, depth + 1);
      const total = children.reduce((sum, child) => sum + child.total, notebook.notes);
      return { notebook, depth, children, total };
    });
  return grow(null, 1);
}

/** What is in sight, top down. */
export function visibleNodes(tree: readonly TreeNode[], open: ReadonlySet<string>): TreeNode[] {
  return tree.flatMap((node) => [
    node,
    ...(open.has(node.notebook.id) ? visibleNodes(node.children, open) : []),
  ]);
}

/** Names from the top to the notebook. */
export function pathOf(items: readonly Notebook[], id: string | null): Notebook[] {
  const byId = new Map(items.map((item) => [item.id, item]));
  const path: Notebook[] = [];
  for (let at = id === null ? undefined : byId.get(id); at;) {
    if (path.includes(at)) break;
    path.unshift(at);
    at = at.parent === null ? undefined : byId.get(at.parent);
  }
  return path;
}

export function pathText(items: readonly Notebook[], id: string | null): string {
  return pathOf(items, id)
    .map(({ name }) => name)
    .join(" / ");
}

/** Whether `id` is `ancestor` or lies inside it. */
export function isInside(items: readonly Notebook[], id: string | null, ancestor: string): boolean {
  return pathOf(items, id).some((notebook) => notebook.id === ancestor);
}
