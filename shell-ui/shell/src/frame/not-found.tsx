import { EmptyState, LinkButton, PageHeader } from "@tenon/ui/frame";
import { LockKeyhole, SearchX } from "lucide-react";

export function NotFound() {
  return (
    <>
      <PageHeader title="Not found" />
      <EmptyState
        icon={SearchX}
        title="There is no page at this address"
        action={<LinkButton to="/">Go home</LinkButton>}
      >
        It may have been moved or deleted. Check the address.
      </EmptyState>
    </>
  );
}

export function NoPermission() {
  return (
    <>
      <PageHeader title="No permission" />
      <EmptyState
        icon={LockKeyhole}
        title="This page is for admins"
        action={<LinkButton to="/">Go home</LinkButton>}
      >
        Ask an admin if you need access.
      </EmptyState>
    </>
  );
}
