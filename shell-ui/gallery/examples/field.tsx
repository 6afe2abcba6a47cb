import { Field, Input, Select, TextArea } from "@tenon/ui";
import { useState } from "react";

export default function Example() {
  const [address, setAddress] = useState("tenon");
  const isWrong = !address.startsWith("https://");
  return (
    <form className="t-form g-narrow">
      <Field label="Name" hint="Shown in lists and in search." required>
        <Input defaultValue="Release plan" />
      </Field>
      <Field label="Address" error={isWrong ? "Begin the address with https://." : null}>
        <Input value={address} onChange={({ target }) => setAddress(target.value)} />
      </Field>
      <Field label="Board">
        <Select>
          <option>Ideas</option>
          <option>Doing</option>
        </Select>
      </Field>
      <Field label="Description">
        <TextArea rows={3} />
      </Field>
    </form>
  );
}
