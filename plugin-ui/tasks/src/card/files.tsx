import { useQueryClient } from "@tanstack/react-query";
import { Button, clientFor, IconButton, Progress, toast } from "@tenon/ui";
import { File as FileIcon, Paperclip, X } from "lucide-react";
import { useRef, useState } from "react";
import { sayError } from "../board/use-moves.ts";
import type { CardPartProps } from "./part.ts";

interface Sending {
  name: string;
  part: number;
  stop(): void;
}

const sizeText = (bytes: number) =>
  bytes < 1024 * 1024
    ? `${Math.max(1, Math.round(bytes / 1024)).toLocaleString()} KB`
    : `${(bytes / 1024 / 1024).toFixed(1)} MB`;

/** Files of a card: chosen or dropped, sent in pieces that continue after a lost connection. */
export function CardFiles({ card, data }: CardPartProps) {
  const queries = useQueryClient();
  const input = useRef<HTMLInputElement>(null);
  const [sending, setSending] = useState<readonly Sending[]>([]);
  const [isDropTarget, setIsDropTarget] = useState(false);
  const files = card.files ?? [];

  const write = async (wanted: readonly object[]) => {
    await clientFor("/api/tasks").patch(`cards/${card.id}`, { files: wanted });
    await queries.invalidateQueries({ queryKey: ["tasks", "cards"] });
  };
  const keep = (all: readonly { id: string }[]) => all.map(({ id }) => ({ id }));
  const send = async (file: File) => {
    const { sendFile } = await import("../transfer/send-file.ts");
    const upload = sendFile(file, (part) =>
      setSending((all) => all.map((one) => (one.stop === stop ? { ...one, part } : one))),
    );
    const stop = () => upload.cancel();
    setSending((all) => [...all, { name: file.name, part: 0, stop }]);
    try {
      const sent = await upload.done;
      // Others may have added files meanwhile.
      const now = await clientFor("/api/tasks").get<{ files: readonly { id: string }[] | null }>(
        `cards/${card.id}`,
        { query: { fields: "files" } },
      );
      if (sent) await write([...keep(now.files ?? []), { upload: sent.upload }]);
    } catch (error) {
      sayError(error);
    } finally {
      setSending((all) => all.filter((one) => one.stop !== stop));
    }
  };
  const remove = (id: string, name: string) => {
    void write(keep(files.filter((file) => file.id !== id))).then(
      () => toast(`“${name}” removed`),
      sayError,
    );
  };
  if (files.length === 0 && !data.isWriter) return null;
  return (
    <section
      className="tasks-part tasks-files"
      aria-labelledby="tasks-files"
      data-over={isDropTarget || undefined}
      onDragOver={(event) => {
        if (!data.isWriter || !event.dataTransfer.types.includes("Files")) return;
        event.preventDefault();
        setIsDropTarget(true);
      }}
      onDragLeave={() => setIsDropTarget(false)}
      onDrop={(event) => {
        event.preventDefault();
        setIsDropTarget(false);
        for (const file of event.dataTransfer.files) void send(file);
      }}
    >
      <h3 id="tasks-files">Files</h3>
      {files.length > 0 && (
        <ul>
          {files.map(({ id, name, type, size }) => {
            const href = `/api/tasks/cards/${card.id}/files/${id}`;
            return (
              <li key={id}>
                {type.startsWith("image/") ? (
                  <img src={href} alt="" loading="lazy" />
                ) : (
                  <span className="tasks-file-icon">
                    <FileIcon size={20} />
                  </span>
                )}
                <a href={href} target="_blank" rel="noreferrer" className="t-ellipsis">
                  {name}
                </a>
                <small className="t-muted">{sizeText(size)}</small>
                {data.isWriter && (
                  <IconButton
                    size="small"
                    icon={X}
                    label={`Remove ${name}`}
                    onClick={() => remove(id, name)}
                  />
                )}
              </li>
            );
          })}
        </ul>
      )}
      {sending.map(({ name, part, stop }, index) => (
        <div key={index} className="tasks-sending">
          <span className="t-ellipsis">{name}</span>
          <Progress label={`Uploading ${name}`} value={part} />
          <IconButton size="small" icon={X} label={`Cancel upload of ${name}`} onClick={stop} />
        </div>
      ))}
      {data.isWriter && (
        <>
          <input
            ref={input}
            type="file"
            hidden
            multiple
            data-testid="card-files"
            onChange={(event) => {
              for (const file of event.target.files ?? []) void send(file);
              event.target.value = "";
            }}
          />
          <Button
            variant="ghost"
            size="small"
            icon={Paperclip}
            onClick={() => input.current?.click()}
          >
            Add files
          </Button>
        </>
      )}
    </section>
  );
}
