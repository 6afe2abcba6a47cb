import { Checkbox, FormRow, Input, Select, Switch } from "@tenon/ui";
import { useState } from "react";

export default function Example() {
  const [isPublic, setIsPublic] = useState(true);
  return (
    <form className="t-form g-rows">
      <FormRow label="Site name" hint="The title of the browser tab.">
        <Input defaultValue="Garden club" />
      </FormRow>
      <FormRow label="Language" error="This language is not installed.">
        <Select>
          <option>English</option>
        </Select>
      </FormRow>
      <FormRow label="Public" hint="Visitors read pages without an account.">
        <Switch checked={isPublic} onChange={setIsPublic} />
      </FormRow>
      <FormRow label="Notify by" group>
        <Checkbox defaultChecked>Mail</Checkbox>
        <Checkbox>Browser</Checkbox>
      </FormRow>
    </form>
  );
}
