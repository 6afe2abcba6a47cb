import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "react-aria-components/Button";
import { Collection } from "react-aria-components/Collection";
import { Tree, TreeItem, TreeItemContent } from "react-aria-components/Tree";
import "../styles/aria.css";

export interface TreeNode {
  id: string;
  title: string;
  children?: readonly TreeNode[];
}

export interface TreeViewProps<T extends TreeNode> {
  label: string;
  nodes: readonly T[];
  expanded: ReadonlySet<string>;
  onExpand(expanded: ReadonlySet<string>): void;
  selected?: string | null;
  onOpen(id: string): void;
  /** Renders the content of a row; default: the title. */
  renderNode?(node: T): ReactNode;
}

/** A tree that is walked by arrows. */
export function TreeView<T extends TreeNode>({
  label,
  nodes,
  expanded,
  onExpand,
  selected,
  onOpen,
  renderNode,
}: TreeViewProps<T>) {
  const branch = (node: T) => (
    <TreeItem id={node.id} textValue={node.title}>
      <TreeItemContent>
        <div className="t-aria-branch">
          <Button slot="chevron">
            <ChevronRight size={14} />
          </Button>
          {renderNode ? renderNode(node) : node.title}
        </div>
      </TreeItemContent>
      <Collection items={(node.children ?? []) as readonly T[]}>{branch}</Collection>
    </TreeItem>
  );
  return (
    <Tree
      className="t-aria-tree"
      aria-label={label}
      items={nodes}
      expandedKeys={expanded}
      onExpandedChange={(keys) => onExpand(new Set([...keys].map(String)))}
      selectionMode="single"
      selectionBehavior="replace"
      selectedKeys={selected ? [selected] : []}
      onAction={(key) => onOpen(String(key))}
    >
      {branch}
    </Tree>
  );
}
