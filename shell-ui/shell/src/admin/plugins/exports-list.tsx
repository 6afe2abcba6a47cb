import "./packages.css";
import { useQuery } from "@tanstack/react-query";
import {
  Badge,
  Card,
  EmptyState,
  ErrorState,
  IconButton,
  Menu,
  MenuItem,
  MenuSeparator,
  RelativeTime,
  SkeletonRows,
  toast,
} from "@tenon/ui";
import { Archive, Download, Ellipsis, Trash2 } from "lucide-react";
import { useState } from "react";
import { FormDialog } from "../form-dialog.tsx";
import { size } from "./install-plan.tsx";
import {
  deleteExport,
  exportFile,
  exportsKey,
  readExports,
  type ExportRecord,
} from "./packages-api.ts";

export const useExports = () =>
  useQuery({ queryKey: exportsKey, queryFn: ({ signal }) => readExports(signal) });

const count = (number: number, one: string, many: string) =>
  `${number.toLocaleString()} ${number === 1 ? one : many}`;

/** "3 records, 2 files". */
export const contentOf = ({ records, files }: NonNullable<ExportRecord["facts"]>) =>
  count(records, "record", "records") + (files ? `, ${count(files, "file", "files")}` : "");

/** Data of plugins that were removed. */
export function ExportList() {
  const { data, error, isPending, refetch } = useExports();
  const [deleting, setDeleting] = useState<ExportRecord | null>(null);
  if (isPending) return <SkeletonRows count={3} />;
  if (!data) {
    return (
      <ErrorState error={error} title="Could not load the exports" onRetry={() => void refetch()} />
    );
  }
  if (data.items.length === 0) {
    return (
      <EmptyState icon={Archive} title="No exported data">
        When you remove a plugin, you can export its data to a file. Exports are listed here until
        you delete them. You can also upload an export to restore it.
      </EmptyState>
    );
  }
  return (
    <>
      <p className="t-muted shell-lead">
        Data of removed plugins. Install a plugin again to restore its data.
      </p>
      <Card>
        <ul className="t-rows">
          {data.items.map((item) => (
            <ExportRow key={item.name} item={item} onDelete={() => setDeleting(item)} />
          ))}
        </ul>
      </Card>
      <DeleteExportDialog item={deleting} onClose={() => setDeleting(null)} />
    </>
  );
}

function ExportRow({ item, onDelete }: { item: ExportRecord; onDelete(): void }) {
  const { name, bytes, facts, reason } = item;
  const label = `Actions for ${name}`;
  return (
    <li className="t-row">
      <span className="shell-row-tile">
        <Archive size={18} />
      </span>
      <div className="t-row-main">
        <div className="shell-user-name">
          <span className="t-ellipsis">{facts ? `${facts.plugin} ${facts.version}` : name}</span>
          {reason && <Badge tone="danger">Unreadable</Badge>}
        </div>
        <div className="t-muted shell-key-line">
          {facts ? (
            <>
              Exported <RelativeTime value={facts.taken} /> · {contentOf(facts)} · {size(bytes)}
            </>
          ) : (
            reason?.message
          )}
        </div>
      </div>
      <Menu label={label} align="end" trigger={<IconButton icon={Ellipsis} label={label} />}>
        <MenuItem icon={Download} onSelect={() => window.location.assign(exportFile(name))}>
          Download
        </MenuItem>
        <MenuSeparator />
        <MenuItem danger icon={Trash2} onSelect={onDelete}>
          Delete…
        </MenuItem>
      </Menu>
    </li>
  );
}

function DeleteExportDialog({ item, onClose }: { item: ExportRecord | null; onClose(): void }) {
  const facts = item?.facts;
  return (
    <FormDialog
      open={item !== null}
      onClose={onClose}
      title={facts ? `Delete the data of ${facts.plugin} ${facts.version}?` : "Delete this export?"}
      description={
        facts
          ? `${contentOf(facts)}. Deleting this export cannot be undone. Download it first to keep a copy.`
          : (item?.name ?? "")
      }
      action="Delete export"
      danger
      changes={exportsKey}
      save={() => deleteExport(item?.name ?? "")}
      onSaved={() => toast("Export deleted")}
    >
      {() => null}
    </FormDialog>
  );
}
