import { EmptyState, ErrorState, LinkButton, Page, Problem, SkeletonRows } from "@tenon/ui";
import type { UseQueryResult } from "@tanstack/react-query";
import { SearchX } from "lucide-react";
import type { ReactElement, ReactNode } from "react";
import { useParams } from "react-router";
import { QueryScope } from "../data/query-scope.tsx";

interface ResourcePageProps<T> {
  /** The noun for the resource, in lower case: "group". */
  noun: string;
  list: { title: string; to: string };
  /** Why it may be missing. */
  missing: ReactNode;
  useOne: (id: string) => UseQueryResult<T>;
  children: (one: T) => ReactElement;
}

/** The page of the one thing whose id is in the path, while it comes, is missing or cannot be read. */
export function ResourcePage<T>(props: ResourcePageProps<T>) {
  return (
    <QueryScope>
      <One {...props} />
    </QueryScope>
  );
}

function One<T>({ noun, list, missing, useOne, children }: ResourcePageProps<T>) {
  const { id = "" } = useParams();
  const { data, error, isPending, refetch } = useOne(id);
  if (data !== undefined) return children(data);
  const title = noun.charAt(0).toUpperCase() + noun.slice(1);
  return (
    <Page title={title} breadcrumbs={[list]}>
      {isPending ? (
        <SkeletonRows />
      ) : error instanceof Problem && error.status === 404 ? (
        <EmptyState
          icon={SearchX}
          title={`${title} not found`}
          action={<LinkButton to={list.to}>All {list.title.toLowerCase()}</LinkButton>}
        >
          {missing}
        </EmptyState>
      ) : (
        <ErrorState
          error={error}
          title={`Could not load the ${noun}`}
          onRetry={() => void refetch()}
        />
      )}
    </Page>
  );
}
