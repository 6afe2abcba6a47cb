import "../../styles/list-pages.css";
import { useQuery } from "@tanstack/react-query";
import { Card, Notice, Page, RelativeTime, Section } from "@tenon/ui";
import { CircleAlert } from "lucide-react";
import { Link } from "react-router";
import { DetailRow } from "../detail-row.tsx";
import { JobAction, JobProgress, JobStateBadge } from "./job-parts.tsx";
import { jobsKey, readJob, type JobWithPayload } from "./jobs-api.ts";
import { ResourcePage } from "../resource-page.tsx";
import { useLiveJobs } from "./use-jobs.ts";

const list = { title: "Jobs", to: "/settings/jobs" };

function useJob(id: string) {
  useLiveJobs();
  return useQuery({
    queryKey: [...jobsKey, "one", id],
    queryFn: ({ signal }) => readJob(id, signal),
  });
}

export default function JobDetailPage() {
  return (
    <ResourcePage
      noun="job"
      list={list}
      missing="Finished jobs are deleted after a week."
      useOne={useJob}
    >
      {(job) => <Job job={job} />}
    </ResourcePage>
  );
}

function Job({ job }: { job: JobWithPayload }) {
  return (
    <Page
      title={job.kind}
      breadcrumbs={[list]}
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
        <Section title="Payload" description="The input of this job.">
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
  return <DetailRow name={name}>{value ? <RelativeTime value={value} /> : "–"}</DetailRow>;
}

function Facts({ job }: { job: JobWithPayload }) {
  const { id, plugin, state, attempts, max_attempts, key, schedule } = job;
  return (
    <Section title="About">
      <Card>
        <dl className="shell-facts">
          <DetailRow name="Plugin">
            <Link to={`/settings/plugins/${plugin}`}>{plugin}</Link>
          </DetailRow>
          <DetailRow name="Attempts">
            {attempts} of {max_attempts}
          </DetailRow>
          <Time name="Created" value={job.created} />
          {state === "waiting" && <Time name="Runs" value={job.run_at} />}
          <Time name="Started" value={job.started} />
          <Time name="Ended" value={job.finished} />
          {schedule && <DetailRow name="Schedule">{schedule}</DetailRow>}
          {key && (
            <DetailRow name="Key">
              <code>{key}</code>
            </DetailRow>
          )}
          <DetailRow name="ID">
            <code>{id}</code>
          </DetailRow>
        </dl>
      </Card>
    </Section>
  );
}
