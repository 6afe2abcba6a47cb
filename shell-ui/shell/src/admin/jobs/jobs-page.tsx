import "../../styles/list-pages.css";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Button, Card, EmptyState, ErrorState, Page, Select, SkeletonRows } from "@tenon/ui";
import { ListChecks } from "lucide-react";
import { Link, useSearchParams } from "react-router";
import { QueryScope } from "../../data/query-scope.tsx";
import { JobAction, JobProgress, JobStateBadge, JobTime, stateTexts } from "./job-parts.tsx";
import { jobsKey, jobStates, readJobs, type JobFilter, type JobRecord } from "./jobs-api.ts";
import { useLiveJobs } from "./use-jobs.ts";
import { usePlugins } from "../plugins/use-plugins.ts";

export default function JobsPage() {
  return (
    <Page title="Jobs" width="wide">
      <QueryScope>
        <Jobs />
      </QueryScope>
    </Page>
  );
}

function Jobs() {
  const [query, setQuery] = useSearchParams();
  const filter = { plugin: query.get("plugin") ?? "", state: query.get("state") ?? "" };
  const change = (changed: Partial<JobFilter>) => {
    const set = Object.entries({ ...filter, ...changed }).filter(([, value]) => value);
    setQuery(new URLSearchParams(set), { replace: true });
  };
  useLiveJobs();
  return (
    <>
      <div className="shell-filter">
        <PluginSelect value={filter.plugin} onChange={(plugin) => change({ plugin })} />
        <Select
          aria-label="State"
          value={filter.state}
          onChange={(event) => change({ state: event.target.value })}
        >
          <option value="">All states</option>
          {jobStates.map((state) => (
            <option key={state} value={state}>
              {stateTexts[state]}
            </option>
          ))}
        </Select>
      </div>
      <JobList filter={filter} onShowAll={() => change({ plugin: "", state: "" })} />
    </>
  );
}

/** The plugins that are there, and the one that was asked for: jobs outlive their plugin. */
function PluginSelect({ value, onChange }: { value: string; onChange(value: string): void }) {
  const { data } = usePlugins();
  const plugins = data?.items ?? [];
  const isKnown = !value || plugins.some(({ id }) => id === value);
  return (
    <Select aria-label="Plugin" value={value} onChange={(event) => onChange(event.target.value)}>
      <option value="">All plugins</option>
      {!isKnown && <option value={value}>{value}</option>}
      {plugins.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </Select>
  );
}

function JobList({ filter, onShowAll }: { filter: JobFilter; onShowAll(): void }) {
  const { data, error, isPending, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } =
    useInfiniteQuery({
      queryKey: [...jobsKey, "list", filter],
      queryFn: ({ pageParam, signal }) => readJobs(filter, pageParam, signal),
      initialPageParam: null as string | null,
      getNextPageParam: ({ next }) => next,
    });
  if (isPending) return <SkeletonRows count={6} />;
  if (!data) {
    return (
      <ErrorState error={error} title="Could not load the jobs" onRetry={() => void refetch()} />
    );
  }
  const jobs = data.pages.flatMap(({ items }) => items);
  if (jobs.length === 0) {
    return filter.plugin || filter.state ? (
      <EmptyState
        icon={ListChecks}
        title="No jobs match the filters"
        action={<Button onClick={onShowAll}>Show all jobs</Button>}
      />
    ) : (
      <EmptyState icon={ListChecks} title="No jobs yet">
        Jobs are background tasks that plugins run once or on a schedule. Finished jobs are deleted
        after a week.
      </EmptyState>
    );
  }
  return (
    <>
      <Card>
        <ul className="t-rows" aria-label="Jobs">
          {jobs.map((job) => (
            <JobRow key={job.id} job={job} />
          ))}
        </ul>
      </Card>
      {hasNextPage && (
        <div className="shell-more">
          <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show older jobs
          </Button>
        </div>
      )}
    </>
  );
}

function JobRow({ job }: { job: JobRecord }) {
  const { id, plugin, kind, state, attempts, max_attempts, error, schedule } = job;
  return (
    <li className="t-row shell-job">
      <div className="t-row-main">
        <div className="shell-user-name">
          <Link className="t-ellipsis" to={`/settings/jobs/${id}`}>
            {kind}
          </Link>
          <JobStateBadge job={job} />
        </div>
        <div className="t-muted t-ellipsis">
          {plugin} · <JobTime job={job} />
          {(attempts > 1 || (attempts > 0 && state === "waiting")) &&
            ` · attempt ${attempts} of ${max_attempts}`}
          {schedule && ` · schedule ${schedule}`}
        </div>
        <JobProgress job={job} />
        {error && state !== "done" && <div className="shell-job-error t-ellipsis">{error}</div>}
      </div>
      <JobAction job={job} size="small" />
    </li>
  );
}
