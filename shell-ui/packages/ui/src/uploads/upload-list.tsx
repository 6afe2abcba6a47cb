import { useStore } from "@tenon/host";
import { RotateCw, X } from "lucide-react";
import { IconButton } from "../kit/button.tsx";
import { errorMessage } from "../kit/feedback.tsx";
import { Progress } from "../kit/progress.tsx";
import { formatBytes } from "./format-bytes.ts";
import type { UploadItem, Uploads } from "./uploads.ts";
import "../styles/uploads.css";

export interface UploadListProps<C> {
  uploads: Uploads<C>;
  /** Which uploads to show; default: all. */
  filter?(context: C): boolean;
  /** After one was given up. */
  onCancel?(item: UploadItem<C>): void;
}

/** Files on their way: how far each is, with Retry and Cancel. Nothing while there is none. */
export function UploadList<C>({ uploads, filter, onCancel }: UploadListProps<C>) {
  const all = useStore(uploads.items);
  const items = filter ? all.filter(({ context }) => filter(context)) : all;
  if (items.length === 0) return null;
  return (
    <ul className="t-uploads" aria-label="Uploads">
      {items.map((item) => (
        <li key={item.id} data-state={item.state}>
          <span className="t-ellipsis" title={item.name}>
            {item.name}
          </span>
          {item.state === "failed" ? (
            <span className="t-uploads-error" role="alert">
              {errorMessage(item.error)}
            </span>
          ) : (
            <Progress
              label={`${item.name}, ${formatBytes(item.bytes)}`}
              max={1}
              value={item.bytes > 0 ? item.sent / item.bytes : 0}
            />
          )}
          <span className="t-uploads-size">
            {item.state === "sending" && item.sent > 0 && item.sent < item.bytes
              ? `${formatBytes(item.sent)} of ${formatBytes(item.bytes)}`
              : formatBytes(item.bytes)}
          </span>
          {item.state === "failed" && (
            <IconButton
              icon={RotateCw}
              size="small"
              label={`Retry ${item.name}`}
              onClick={() => uploads.retry(item.id)}
            />
          )}
          <IconButton
            icon={X}
            size="small"
            label={`Cancel ${item.name}`}
            onClick={() => {
              void uploads.cancel(item.id);
              onCancel?.(item);
            }}
          />
        </li>
      ))}
    </ul>
  );
}
