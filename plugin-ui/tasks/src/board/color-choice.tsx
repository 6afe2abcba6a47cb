import { IconButton, Menu, MenuItem } from "@tenon/ui";
import { Circle } from "lucide-react";
import type { Label } from "../tables.gen.ts";

const names: Record<Label["color"], string> = {
  gray: "Gray",
  red: "Red",
  orange: "Orange",
  yellow: "Yellow",
  green: "Green",
  teal: "Teal",
  blue: "Blue",
  purple: "Purple",
  pink: "Pink",
};

export interface ColorChoiceProps {
  label: string;
  value: Label["color"];
  onChange(color: Label["color"]): void;
}

export function ColorChoice({ label, value, onChange }: ColorChoiceProps) {
  return (
    <span className="tasks-color" data-color={value}>
      <Menu
        label={label}
        trigger={<IconButton icon={Circle} label={`${label}: ${names[value]}`} />}
      >
        {(Object.keys(names) as Label["color"][]).map((color) => (
          <MenuItem key={color} checked={color === value} onSelect={() => onChange(color)}>
            <span className="tasks-dot" data-color={color} />
            {names[color]}
          </MenuItem>
        ))}
      </Menu>
    </span>
  );
}
