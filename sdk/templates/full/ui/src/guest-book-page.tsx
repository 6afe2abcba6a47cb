import {
  Button,
  Card,
  EmptyState,
  ErrorState,
  Field,
  Input,
  Page,
  RelativeTime,
  SkeletonRows,
} from "@tenon/ui";
import { useState } from "react";
import { useCreateEntry, useInfiniteEntries } from "./tables.gen.ts";
import "./styles.css";

function Sign() {
  const create = useCreateEntry();
  const [text, setText] = useState("");
  const submit = () => {
    if (text.trim() === "") return;
    setText("");
    // The hook shows the entry at once and reports an error in a toast.
    create.mutate({ text: text.trim() }, { onError: () => setText(text) });
  };
  return (
    <form
      className="sign"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Field label="Your entry">
        <Input
          value={text}
          maxLength={1000}
          autoComplete="off"
          onChange={(event) => setText(event.target.value)}
        />
      </Field>
      <Button variant="primary" type="submit">
        Sign
      </Button>
    </form>
  );
}

function Entries() {
  const { items, isPending, error, refetch, hasNextPage, fetchNextPage } = useInfiniteEntries({
    sort: ["-created"],
  });
  if (isPending) return <SkeletonRows />;
  if (error)
    return <ErrorState title="Could not load the guest book" error={error} onRetry={refetch} />;
  if (items.length === 0) return <EmptyState title="No entries yet" />;
  return (
    <>
      <Card>
        <ul className="t-rows">
          {items.map((entry) => (
            <li key={entry.id} className="t-row">
              <span className="t-row-main">{entry.text}</span>
              <span className="t-muted">
                <RelativeTime value={entry.created} />
              </span>
            </li>
          ))}
        </ul>
      </Card>
      {hasNextPage && <Button onClick={() => void fetchNextPage()}>More</Button>}
    </>
  );
}

export function GuestBookPage() {
  return (
    <Page title="My plugin" width="reading">
      <Sign />
      <Entries />
    </Page>
  );
}
