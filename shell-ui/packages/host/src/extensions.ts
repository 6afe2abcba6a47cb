import { createContext, createElement, use, type ComponentType } from "react";
import type { ActionRecord } from "./contract.ts";

export interface SlotProps {
  /** The extension point, with the ID of the plugin that declares it: `notes.note.sidebar`. */
  name: string;
  /** Props of the components that are shown, such as the ID of a record. */
  props?: Readonly<Record<string, unknown>>;
}

/** An action of a plugin, as the menus of `@tenon/ui` take it. */
export interface RecordActionItem {
  readonly id: string;
  readonly title: string;
  readonly icon?: ComponentType<{ size?: number | string }>;
  /** Loads the plugin and runs the action. Reports a failure as a message. */
  run(): void;
}

/** The shell's side of `Slot` and `useRecordActions`. */
export interface Extensions {
  readonly SlotView: ComponentType<SlotProps>;
  useActions(name: string, record: ActionRecord | null | undefined): readonly RecordActionItem[];
}

const ExtensionContext = createContext<Extensions>({ SlotView: () => null, useActions: () => [] });
export const ExtensionProvider = ExtensionContext.Provider;

/**
 * Shows what plugins contribute to an extension point, each as a section with its title. Empty if there is nothing. A
 * contribution that throws is replaced by a message with *Retry*.
 */
export function Slot(props: SlotProps) {
  return createElement(use(ExtensionContext).SlotView, props);
}

/**
 * Returns the actions that plugins contribute to the records of a page, in the order of the plugins; none without a
 * record. `name` is the extension point: `notes.note.actions`. Nothing of a plugin is loaded before `run()`.
 */
export function useRecordActions<R extends ActionRecord>(
  name: string,
  record: R | null | undefined,
): readonly RecordActionItem[] {
  return use(ExtensionContext).useActions(name, record);
}
