import { Button, Kbd, Tooltip } from "@tenon/ui";

export default function Example() {
  return (
    <div className="g-row">
      <Tooltip label="Shows all shortcuts" shortcut="?">
        <Button>Help</Button>
      </Tooltip>
      <span>
        Search with <Kbd keys="mod+k" spoken />
      </span>
    </div>
  );
}
