import { ChevronRight } from "lucide-react";
import type { ReactElement } from "react";
import { Menu, MenuItem, MenuTrigger, SubmenuTrigger } from "react-aria-components/Menu";
import { Separator } from "react-aria-components/Separator";
import { FloatingBox } from "../aria/parts.tsx";
import type { IconType } from "../kit/icon.ts";
import { Kbd } from "../kit/kbd.tsx";

export interface Action {
  id: string;
  title: string;
  icon?: IconType;
  shortcut?: string;
  disabled?: boolean;
  run?(): void;
  /** Opens to the side instead of running. */
  actions?: readonly (Action | "separator")[];
}

export interface ActionMenuProps {
  label: string;
  /** A pressable of React Aria, such as its `Button`. */
  trigger: ReactElement;
  actions: readonly (Action | "separator")[];
}

/** A menu with menus in it; for a flat one the kit's `Menu` is lighter. */
export function ActionMenu({ label, trigger, actions }: ActionMenuProps) {
  return (
    <MenuTrigger>
      {trigger}
      <FloatingBox>
        <ActionList label={label} actions={actions} />
      </FloatingBox>
    </MenuTrigger>
  );
}

function ActionList({ label, actions }: Pick<ActionMenuProps, "label" | "actions">) {
  return (
    <Menu className="t-aria-list" aria-label={label}>
      {actions.map((action, index) =>
        action === "separator" ? (
          <Separator key={index} />
        ) : (
          <ActionEntry key={action.id} action={action} />
        ),
      )}
    </Menu>
  );
}

function ActionEntry({ action }: { action: Action }) {
  const { id, title, icon: Icon, shortcut, disabled, run, actions } = action;
  const item = (
    <MenuItem
      className="t-aria-item"
      id={id}
      textValue={title}
      isDisabled={disabled}
      onAction={run}
    >
      {Icon && <Icon size={16} />}
      <span>{title}</span>
      {shortcut && <Kbd keys={shortcut} />}
      {actions && <ChevronRight size={16} />}
    </MenuItem>
  );
  if (!actions) return item;
  return (
    <SubmenuTrigger>
      {item}
      <FloatingBox nested>
        <ActionList label={title} actions={actions} />
      </FloatingBox>
    </SubmenuTrigger>
  );
}
