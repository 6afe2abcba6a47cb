import { Button, EmptyState, ErrorState } from "@tenon/ui";
import { FileText } from "lucide-react";

export default function Example() {
  return (
    <div className="g-columns">
      <EmptyState
        icon={FileText}
        title="No notes yet"
        action={<Button variant="primary">New note</Button>}
      >
        Write down what you want to find again.
      </EmptyState>
      <ErrorState
        error={new TypeError("Failed to fetch")}
        title="Could not load the notes"
        onRetry={() => undefined}
      />
    </div>
  );
}
