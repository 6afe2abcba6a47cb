import { Button, toast } from "@tenon/ui";

export default function Example() {
  return (
    <div className="g-row">
      <Button
        onClick={() =>
          toast("Note moved to the trash", {
            action: { label: "Undo", run: () => toast("Note restored") },
          })
        }
      >
        Delete note
      </Button>
      <Button onClick={() => toast("Could not save the note", { tone: "danger" })}>Fail</Button>
    </div>
  );
}
