import { useCommand, useStore, useUser } from "@tenon/host";
import {
  Badge,
  Button,
  EmptyState,
  ErrorState,
  IconButton,
  LinkButton,
  Menu,
  MenuItem,
  MenuLink,
  MenuSeparator,
  PageHeader,
  phone,
  Problem,
  SegmentedControl,
  Skeleton,
  toast,
  useMediaQuery,
} from "@tenon/ui";
import {
  Archive,
  ArchiveRestore,
  CalendarDays,
  Columns3,
  Download,
  Ellipsis,
  List,
  Pencil,
  Plus,
  SearchX,
  Tags,
  Trash2,
  Upload,
  Users,
} from "lucide-react";
import { PresenceStack, usePresence } from "@tenon/ui/records";
import { useEffect, useMemo } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { lazyComponent } from "../app/lazy.tsx";
import {
  boardPath,
  home,
  readLocation,
  writeLocation,
  type BoardLocation,
  type Layout,
} from "../model/location.ts";
import { useUpdateBoard, type Board } from "../tables.gen.ts";
import { adding } from "./add-card.tsx";
import { ask, question } from "./ask.ts";
import { BoardColumns } from "./board-columns.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { useBoard } from "./use-board.ts";

const CardDialog = lazyComponent(() =>
  import("../card/card-dialog.tsx").then(({ CardDialog }) => CardDialog),
);
const BoardDialogs = lazyComponent(() =>
  import("./board-dialogs.tsx").then(({ BoardDialogs }) => BoardDialogs),
);
const ListLayout = lazyComponent(() =>
  import("../views/list-layout.tsx").then(({ ListLayout }) => ListLayout),
);
const CalendarLayout = lazyComponent(() =>
  import("../views/calendar-layout.tsx").then(({ CalendarLayout }) => CalendarLayout),
);

const layoutOptions = [
  { value: "board", label: "Board", icon: Columns3 },
  { value: "list", label: "List", icon: List },
  { value: "calendar", label: "Calendar", icon: CalendarDays },
] as const satisfies readonly { value: Layout; label: string; icon: unknown }[];

export function BoardView({ board: id, card }: { board: string; card: string | null }) {
  const navigate = useNavigate();
  const [params, setParams] = useSearchParams();
  const search = params.toString();
  const where = useMemo(() => readLocation(new URLSearchParams(search)), [search]);
  const go = (location: BoardLocation) =>
    setParams(writeLocation(location, params), { replace: true });
  const { board, data, error, isReady, retry } = useBoard(id, where.filters);
  const asked = useStore(question);
  const presence = usePresence("tasks", "boards", id);
  const isPhone = useMediaQuery(phone);
  useEffect(() => () => question.set(null), [id]);
  useBoardCommands(data.isWriter && card === null ? data.columns[0]?.id : undefined, (layout) =>
    go({ ...where, layout }),
  );

  if (error && (!board || isGone(error))) return <Broken error={error} retry={retry} />;
  return (
    <div className="tasks-page">
      <div className="tasks-under" inert={card !== null || asked?.kind === "share"}>
        <PageHeader
          title={board?.title ?? "Board"}
          breadcrumbs={isPhone ? undefined : [{ title: "Tasks", to: home }]}
          meta={board?.archived && <Badge>Archived</Badge>}
          actions={
            board && (
              <>
                <PresenceStack {...presence} max={isPhone ? 1 : 3} />
                {!isPhone && (
                  <Button variant="ghost" icon={Users} onClick={() => ask({ kind: "share" })}>
                    Share
                  </Button>
                )}
                <BoardMenu board={board} isWriter={data.isWriter} />
              </>
            )
          }
          primary={
            data.isWriter &&
            data.columns.length > 0 && (
              <Button
                variant="primary"
                icon={Plus}
                onClick={() => {
                  if (where.layout !== "board") go({ ...where, layout: "board" });
                  adding.set(data.columns[0]?.id ?? null);
                }}
              >
                Card
              </Button>
            )
          }
        />
        <div className="tasks-bar">
          <SegmentedControl
            label="Layout"
            value={where.layout}
            onChange={(layout) => go({ ...where, layout })}
            options={layoutOptions}
          />
          <FilterBar data={data} location={where} go={go} search={search} />
        </div>
        <div className="tasks-body">
          {error ? (
            <ErrorState error={error} title="Could not load the board" onRetry={retry} />
          ) : !isReady ? (
            <BoardSkeleton />
          ) : where.layout === "list" ? (
            <ListLayout data={data} fallback={<BoardSkeleton />} />
          ) : where.layout === "calendar" ? (
            <CalendarLayout data={data} fallback={<BoardSkeleton />} />
          ) : (
            <BoardColumns data={data} />
          )}
        </div>
      </div>
      {board && asked && <BoardDialogs board={board} data={data} search={search} />}
      {card !== null && board && (
        <CardDialog
          key={card}
          id={card}
          board={board}
          data={data}
          onClose={() => void navigate({ pathname: boardPath(id), search })}
        />
      )}
    </div>
  );
}

function useBoardCommands(column: string | undefined, show: (layout: Layout) => void): void {
  useCommand({
    id: "tasks.add-card",
    title: "Add a card",
    group: "Board",
    shortcut: "c",
    icon: "plus",
    run: () => adding.set(column ?? null),
  });
  useCommand({
    id: "tasks.filter",
    title: "Filter cards",
    group: "Board",
    shortcut: "/",
    icon: "search",
    run: () =>
      document.querySelector<HTMLElement>("[data-plugin=tasks] .tasks-bar [type=search]")?.focus(),
  });
  useCommand({
    id: "tasks.board",
    title: "Show as a board",
    group: "Board",
    shortcut: "v b",
    run: () => show("board"),
  });
  useCommand({
    id: "tasks.list",
    title: "Show as a list",
    group: "Board",
    shortcut: "v l",
    run: () => show("list"),
  });
  useCommand({
    id: "tasks.calendar",
    title: "Show as a calendar",
    group: "Board",
    shortcut: "v c",
    run: () => show("calendar"),
  });
  useCommand({
    id: "tasks.share",
    title: "Share the board",
    group: "Board",
    icon: "users",
    run: () => ask({ kind: "share" }),
  });
}

function BoardMenu({ board, isWriter }: { board: Board; isWriter: boolean }) {
  const { mutate } = useUpdateBoard();
  const { id: me } = useUser();
  const file = (format: string) =>
    `/api/tasks/cards/export?${new URLSearchParams({ format, filter: `board = '${board.id}'`, sort: "position" })}`;
  const putAway = () => {
    const archived = board.archived === null ? new Date().toISOString() : null;
    mutate({ id: board.id, patch: { archived } });
    toast(archived ? `“${board.title}” archived` : `“${board.title}” restored`, {
      action: {
        label: "Undo",
        run: () => mutate({ id: board.id, patch: { archived: board.archived } }),
      },
    });
  };
  return (
    <Menu label="Board" align="end" trigger={<IconButton icon={Ellipsis} label="More" />}>
      <MenuItem icon={Users} onSelect={() => ask({ kind: "share" })}>
        Share
      </MenuItem>
      {isWriter && (
        <>
          <MenuItem icon={Pencil} onSelect={() => ask({ kind: "rename-board" })}>
            Name and description
          </MenuItem>
          <MenuItem icon={Tags} onSelect={() => ask({ kind: "labels" })}>
            Labels
          </MenuItem>
        </>
      )}
      <MenuItem icon={Archive} onSelect={() => ask({ kind: "archived-cards" })}>
        Archived cards
      </MenuItem>
      <MenuSeparator />
      {isWriter && (
        <MenuItem icon={Upload} onSelect={() => ask({ kind: "import" })}>
          Import cards from CSV
        </MenuItem>
      )}
      <MenuLink icon={Download} to={file("csv")} reloadDocument download="">
        Export as CSV
      </MenuLink>
      <MenuLink icon={Download} to={file("json")} reloadDocument download="">
        Export as JSON
      </MenuLink>
      {isWriter && (
        <>
          <MenuSeparator />
          <MenuItem icon={board.archived === null ? Archive : ArchiveRestore} onSelect={putAway}>
            {board.archived === null ? "Archive board" : "Restore board"}
          </MenuItem>
        </>
      )}
      {board.created_by === me && (
        <MenuItem icon={Trash2} danger onSelect={() => ask({ kind: "delete-board" })}>
          Delete board
        </MenuItem>
      )}
    </Menu>
  );
}

function BoardSkeleton() {
  return (
    <div className="tasks-columns" aria-hidden>
      {[3, 2, 4].map((cards, index) => (
        <div key={index} className="tasks-column">
          <ul>
            {Array.from({ length: cards }, (_, card) => (
              <li key={card} className="tasks-card">
                <Skeleton />
              </li>
            ))}
          </ul>
        </div>
      ))}
    </div>
  );
}

/** Deleted, never there, or not to be seen any more. */
const isGone = (error: unknown) => error instanceof Problem && [400, 404].includes(error.status);

function Broken({ error, retry }: { error: unknown; retry(): void }) {
  const back = <LinkButton to={home}>All boards</LinkButton>;
  return (
    <>
      <PageHeader title="Board" breadcrumbs={[{ title: "Tasks", to: home }]} />
      {isGone(error) ? (
        <EmptyState icon={SearchX} title="Board not found" action={back}>
          It was deleted, or you do not have access. Ask its owner to share it with you.
        </EmptyState>
      ) : (
        <ErrorState error={error} title="Could not load the board" onRetry={retry} action={back} />
      )}
    </>
  );
}
