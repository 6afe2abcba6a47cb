import { useUser } from "@tenon/host";
import { Button, Notice } from "@tenon/ui";
import { PeoplePicker, type Person } from "@tenon/ui/forms";
import { Lock } from "lucide-react";
import { useMemo } from "react";
import { Sheet } from "../app/sheet.tsx";
import { useNames } from "../model/names.ts";
import { useUpdateBoard, type Board } from "../tables.gen.ts";

const ids = (people: readonly Person[], kind: Person["kind"]) =>
  people.filter((person) => person.kind === kind).map(({ id }) => id);

/** Edits who may see a board and who may change it. */
export function ShareDialog({ board, onClose }: { board: Board; onClose(): void }) {
  const { id: me } = useUser();
  const { mutate } = useUpdateBoard();
  const isOwner = board.created_by === me;
  const writers = [...board.writers, ...board.writer_groups];
  const readers = [...board.readers, ...board.reader_groups];
  const owner = board.created_by ?? "";
  const names = useNames(useMemo(() => [owner], [owner]));
  const title = `Share “${board.title}”`;
  return (
    <Sheet title={title} onClose={onClose}>
      <h2>{title}</h2>
      <p className="t-muted">
        {isOwner
          ? "You own this board. Only you can share or delete it."
          : `${names.get(owner) ?? "…"} owns this board. Only the owner can share or delete it.`}
      </p>
      {isOwner ? (
        <div className="t-form">
          <PeoplePicker
            label="Can edit"
            placeholder="Add people or groups"
            value={writers}
            exclude={[me, ...readers]}
            onChange={(_ids, people) =>
              mutate({
                id: board.id,
                patch: { writers: ids(people, "user"), writer_groups: ids(people, "group") },
              })
            }
          />
          <PeoplePicker
            label="Can view"
            placeholder="Add people or groups"
            value={readers}
            exclude={[me, ...writers]}
            onChange={(_ids, people) =>
              mutate({
                id: board.id,
                patch: { readers: ids(people, "user"), reader_groups: ids(people, "group") },
              })
            }
          />
        </div>
      ) : (
        <div className="t-form">
          <Notice icon={Lock}>Only the owner can change who has access.</Notice>
          {writers.length > 0 && (
            <div>
              <strong>Can edit</strong>
              <People ids={writers} />
            </div>
          )}
          {readers.length > 0 && (
            <div>
              <strong>Can view</strong>
              <People ids={readers} />
            </div>
          )}
        </div>
      )}
      <footer>
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      </footer>
    </Sheet>
  );
}

function People({ ids: all }: { ids: readonly string[] }) {
  const names = useNames(all);
  return <p className="t-muted">{all.map((id) => names.get(id) ?? "…").join(", ")}</p>;
}
