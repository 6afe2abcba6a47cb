import { PeoplePicker, usePeople } from "@tenon/ui/forms";
import { useState } from "react";

export default function Example() {
  const [ids, setIds] = useState<readonly string[]>(["u2"]);
  const people = usePeople(ids);
  return (
    <div className="t-form g-narrow">
      <PeoplePicker label="Shared with" value={ids} onChange={setIds} placeholder="Name" />
      <p className="t-muted">{people?.map(({ name }) => name).join(", ")}</p>
    </div>
  );
}
