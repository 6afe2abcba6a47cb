export { DataTable, type DataColumn, type DataTableProps, type Sort } from "./data-table.tsx";
export { TreeView, type TreeNode, type TreeViewProps } from "./tree-view.tsx";
