import { Button, Page, SaveStatus } from "@tenon/ui";
import { Plus } from "lucide-react";

export default function Example() {
  return (
    <Page
      title="Release plan"
      breadcrumbs={[{ title: "Notes", to: "/app/notes" }]}
      meta={<SaveStatus state="saved" />}
      primary={
        <Button variant="primary" icon={Plus}>
          New note
        </Button>
      }
      width="reading"
    >
      <p>The header has the title and one primary action. Others are in a menu before it.</p>
    </Page>
  );
}
