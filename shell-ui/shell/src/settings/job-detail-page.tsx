import "./settings.css";
import { useQuery } from "@tanstack/react-query";
import {
  Card,
  EmptyState,
  ErrorState,
  LinkButton,
  Notice,
  Page,
  Problem,
  RelativeTime,
  Section,
  SkeletonRows,
} from "@tenon/ui";
import { CircleAlert, SearchX } from "lucide-react";
import { Link, useParams } from "react-router";
import { QueryScope } from "../data/query-scope.tsx";
import { Fact } from "./fact.tsx";
import { JobAction, JobProgress, JobStateBadge } from "./job-parts.tsx";
import { jobsKey, readJob, type JobWithPayload } from "./jobs-api.ts";
import { useLiveJobs } from "./use-jobs.ts";

const breadcrumbs = [{ title: "Jobs", to: "/settings/jobs" }];

export default function JobDetailPage() {
  return (
    <QueryScope>
      <Detail />
    </QueryScope>
  );
}

function Detail() {
  const { id = "" } = useParams();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: [...jobsKey, "one", id],
    queryFn: ({ signal }) => readJob(id, signal),
  });
  useLiveJobs();
  if (data) return <Job job={data} />;
  return (
    <Page title="Job" breadcrumbs={breadcrumbs}>
      {isPending ? (
        <SkeletonRows />
      ) : error instanceof Problem && error.status === 404 ? (
        <EmptyState
          icon={SearchX}
          title="There is no such job"
          action={<LinkButton to="/settings/jobs">All jobs</LinkButton>}
        >
          What is over is kept for a week.
        </EmptyState>
      ) : (
        <ErrorState
          error={error}
          title="The job could not be read"
          onRetry={() => void refetch()}
        />
      )}
    </Page>
  );
}

function Job({ job }: { job: JobWithPayload }) {
  return (
    <Page
      title={job.kind}
      breadcrumbs={breadcrumbs}
      meta={<JobStateBadge job={job} />}
      primary={<JobAction job={job} />}
    >
      {job.error && (
        <Notice tone={job.state === "failed" ? "danger" : "warning"} icon={CircleAlert}>
          <span className="shell-job-text">{job.error}</span>
        </Notice>
      )}
      <JobProgress job={job} />
      <div className="shell-sections">
        <Facts job={job} />
        <Section title="Payload" description="What the plugin gave the job to do.">
          <Card className="shell-scroll">
            <pre className="shell-payload" tabIndex={0} aria-label="Payload">
              {JSON.stringify(job.payload, null, 2)}
            </pre>
          </Card>
        </Section>
      </div>
    </Page>
  );
}

function Time({ name, value }: { name: string; value: string | null }) {
  return <Fact name={name}>{value ? <RelativeTime value={value} /> : "–"}</Fact>;
}

function Facts({ job }: { job: JobWithPayload }) {
  const { id, plugin, state, attempts, max_attempts, key, schedule } = job;
  return (
    <Section title="About">
      <Card>
        <dl className="shell-facts">
          <Fact name="Plugin">
            <Link to={`/settings/plugins/${plugin}`}>{plugin}</Link>
          </Fact>
          <Fact name="Attempts">
            {attempts} of {max_attempts}
          </Fact>
          <Time name="Created" value={job.created} />
          {state === "waiting" && <Time name="Runs" value={job.run_at} />}
          <Time name="Began" value={job.started} />
          <Time name="Ended" value={job.finished} />
          {schedule && <Fact name="Schedule">{schedule}</Fact>}
          {key && (
            <Fact name="Key">
              <code>{key}</code>
            </Fact>
          )}
          <Fact name="Id">
            <code>{id}</code>
          </Fact>
        </dl>
      </Card>
    </Section>
  );
}
