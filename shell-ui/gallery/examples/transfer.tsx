import { Button } from "@tenon/ui";
import { defineTable } from "@tenon/ui/records";
import { ExportMenu, ImportDialog } from "@tenon/ui/transfer";
import { useState } from "react";

interface Book {
  id: string;
  title: string;
  year: number | null;
}

// A plugin imports its tables from tables.gen.ts.
const books = defineTable<{
  record: Book;
  create: Omit<Book, "id">;
  patch: Partial<Book>;
  sort: "title" | "year";
}>("library", "books", {
  title: { type: "text", required: true },
  year: { type: "integer" },
});

export default function Example() {
  const [open, setOpen] = useState(false);
  return (
    <div className="g-row">
      <Button onClick={() => setOpen(true)}>Import</Button>
      <ExportMenu table={books} options={{ sort: ["title"] }} />
      <ImportDialog
        open={open}
        onClose={() => setOpen(false)}
        table={books}
        title="Import books"
        labels={{ title: "Title", year: "Year" }}
      />
    </div>
  );
}
