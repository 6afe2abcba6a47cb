export { Button as PressButton } from "react-aria-components/Button";
export { ActionMenu, type Action, type ActionMenuProps } from "./action-menu.tsx";
export { PopoverButton, type PopoverButtonProps } from "./popover-button.tsx";
