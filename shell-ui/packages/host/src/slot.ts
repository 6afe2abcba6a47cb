import { createContext, createElement, use, type ComponentType } from "react";

export interface SlotProps {
  /** The extension point, with the ID of the plugin that declares it: `notes.note.sidebar`. */
  name: string;
  /** Props of the components that are shown, such as the ID of a record. */
  props?: Readonly<Record<string, unknown>>;
}

const SlotContext = createContext<ComponentType<SlotProps> | null>(null);
export const SlotProvider = SlotContext.Provider;

/**
 * Shows what plugins contribute to an extension point, each as a section with its title. Empty if there is nothing. A
 * contribution that throws is replaced by a message with *Retry*.
 */
export function Slot(props: SlotProps) {
  const View = use(SlotContext);
  return View && createElement(View, props);
}
