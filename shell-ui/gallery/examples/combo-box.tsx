import { ComboBox, NumberField, TagList } from "@tenon/ui/forms";
import { useState } from "react";

const boards = ["Garden", "House", "Music", "Reading", "Travel"].map((title) => ({
  id: title.toLowerCase(),
  title,
}));

export default function Example() {
  const [board, setBoard] = useState<string | null>("house");
  const [hours, setHours] = useState(2.5);
  const [tags, setTags] = useState(["Urgent", "Outside"].map((title) => ({ id: title, title })));
  return (
    <div className="t-form g-narrow">
      <ComboBox label="Board" options={boards} value={board} onChange={setBoard} />
      <NumberField label="Hours" value={hours} onChange={setHours} min={0} step={0.5} />
      <TagList
        label="Tags"
        tags={tags}
        onRemove={(ids) => setTags(tags.filter(({ id }) => !ids.includes(id)))}
      />
    </div>
  );
}
