import { useQuery } from "@tanstack/react-query";
import { RelativeTime, Section, TableCard } from "@tenon/ui";
import { Link } from "react-router";
import { JobStateBadge } from "../jobs/job-parts.tsx";
import { jobsKey, readJobs } from "../jobs/jobs-api.ts";
import { useLiveJobs } from "../jobs/use-jobs.ts";
import { maxRows } from "./limits.ts";

/** The newest jobs of a plugin. */
export function JobsSection({ plugin }: { plugin: string }) {
  useLiveJobs();
  const { data } = useQuery({
    queryKey: [...jobsKey, "inspector", plugin],
    queryFn: ({ signal }) => readJobs({ plugin, state: "" }, null, signal),
  });
  const jobs = data?.items.slice(0, maxRows);
  if (!jobs || jobs.length === 0) return null;
  return (
    <Section title="Jobs" description="The newest jobs of this plugin.">
      <TableCard label="Jobs" columns={["Kind", "State", "Created", "Error"]}>
        {jobs.map((job) => (
          <tr key={job.id}>
            <td>
              <Link to={`/settings/jobs/${job.id}`}>{job.kind}</Link>
            </td>
            <td>
              <JobStateBadge job={job} />
            </td>
            <td>
              <RelativeTime value={job.created} />
            </td>
            <td>{job.error}</td>
          </tr>
        ))}
      </TableCard>
    </Section>
  );
}
