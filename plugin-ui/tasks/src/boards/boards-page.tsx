import { useCommand } from "@tenon/host";
import {
  Badge,
  Button,
  EmptyState,
  ErrorState,
  IconButton,
  Menu,
  MenuItem,
  MenuLink,
  Page,
  Skeleton,
} from "@tenon/ui";
import { filter } from "@tenon/ui/records";
import { Archive, AtSign, Ellipsis, Plus, SquareKanban, Upload } from "lucide-react";
import { useMemo } from "react";
import { Link, useSearchParams } from "react-router";
import { lazyComponent } from "../app/lazy.tsx";
import { boardPath, home } from "../model/location.ts";
import { useCardGroups, useInfiniteBoards, type Board } from "../tables.gen.ts";

const NewBoardDialog = lazyComponent(() =>
  import("./new-board-dialog.tsx").then(({ NewBoardDialog }) => NewBoardDialog),
);
const TrelloDialog = lazyComponent(() =>
  import("../transfer/trello-dialog.tsx").then(({ TrelloDialog }) => TrelloDialog),
);

const isArchived = filter`archived != null`;
const isOpen = filter`archived = null`;

/** How many cards each board has that are not put away. */
function useCardCounts(): ReadonlyMap<string | null, number> | undefined {
  const { data } = useCardGroups({ group: ["board"], filter: isOpen, limit: 1000 });
  return useMemo(
    () => data && new Map(data.items.map(({ board, count }) => [board, count])),
    [data],
  );
}

/** All boards of the person. */
export function BoardsPage() {
  const [params, setParams] = useSearchParams();
  const archived = params.has("archived");
  const begin = params.get("begin");
  const options = useMemo(
    () => ({ filter: archived ? isArchived : isOpen, sort: ["title"] as const, limit: 100 }),
    [archived],
  );
  const { items, data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteBoards(options);
  const counts = useCardCounts();
  const ask = (what: "board" | "trello") => setParams({ begin: what }, { replace: true });
  const close = () => setParams({}, { replace: true });
  useCommand({
    id: "tasks.new-board",
    title: "New board",
    group: "Tasks",
    shortcut: "n",
    hidden: true,
    run: () => ask("board"),
  });

  const create = (
    <Button variant="primary" icon={Plus} onClick={() => ask("board")}>
      New board
    </Button>
  );
  return (
    <Page
      title={archived ? "Archived boards" : "Tasks"}
      breadcrumbs={archived ? [{ title: "Tasks", to: "/app/tasks" }] : undefined}
      actions={
        !archived && (
          <Menu label="More" align="end" trigger={<IconButton icon={Ellipsis} label="More" />}>
            <MenuLink icon={AtSign} to={`${home}/mentions`}>
              Mentions
            </MenuLink>
            <MenuItem icon={Upload} onSelect={() => ask("trello")}>
              Import from Trello
            </MenuItem>
            <MenuItem icon={Archive} onSelect={() => setParams({ archived: "" })}>
              Archived boards
            </MenuItem>
          </Menu>
        )
      }
      primary={!archived && items.length > 0 && create}
    >
      {error ? (
        <ErrorState
          error={error}
          title="Could not load the boards"
          onRetry={() => void refetch()}
        />
      ) : !data ? (
        <BoardsSkeleton />
      ) : items.length === 0 ? (
        archived ? (
          <EmptyState icon={Archive} title="No archived boards">
            Archived boards are kept here with all their cards.
          </EmptyState>
        ) : (
          <EmptyState icon={SquareKanban} title="No boards yet" action={create}>
            A board has cards that move through columns. People you share it with see every change
            live.
          </EmptyState>
        )
      ) : (
        <>
          <ul className="tasks-boards">
            {items.map((board) => (
              <BoardTile
                key={board.id}
                board={board}
                cards={counts && (counts.get(board.id) ?? 0)}
              />
            ))}
          </ul>
          {hasNextPage && (
            <Button variant="ghost" onClick={() => void fetchNextPage()}>
              Show more
            </Button>
          )}
        </>
      )}
      {begin === "board" && <NewBoardDialog onClose={close} />}
      {begin === "trello" && <TrelloDialog onClose={close} />}
    </Page>
  );
}

function BoardTile({ board, cards }: { board: Board; cards: number | undefined }) {
  const isShared = [board.readers, board.writers, board.reader_groups, board.writer_groups].some(
    ({ length }) => length > 0,
  );
  return (
    <li>
      <Link className="tasks-board-tile" to={boardPath(board.id)}>
        <h2>{board.title}</h2>
        {board.description && <p className="t-muted">{board.description}</p>}
        <span className="tasks-board-facts">
          {cards === undefined
            ? "\u00a0"
            : cards === 1
              ? "1 card"
              : `${cards.toLocaleString()} cards`}
          {isShared && <Badge>Shared</Badge>}
        </span>
      </Link>
    </li>
  );
}

function BoardsSkeleton() {
  return (
    <ul className="tasks-boards" aria-hidden>
      {Array.from({ length: 3 }, (_, index) => (
        <li key={index} className="tasks-board-tile">
          <Skeleton />
        </li>
      ))}
    </ul>
  );
}
