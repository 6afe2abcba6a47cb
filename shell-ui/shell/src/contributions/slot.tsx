import { useStore, type SlotProps } from "@tenon/host";
import { Suspense } from "react";
import { lazyPage } from "../navigation/lazy-page.tsx";
import { useServices } from "../services.ts";

const SlotView = lazyPage<SlotProps>(() => import("./slot-view.tsx"), { stays: true });

/** The shell's side of `Slot`: loads nothing while no plugin contributes. */
export function ShellSlot(slot: SlotProps) {
  const has = useStore(useServices().registry.store, ({ plugins }) =>
    plugins.some(({ contributions }) => contributions?.[slot.name as `${string}.`]?.length),
  );
  return (
    has && (
      <Suspense>
        <SlotView {...slot} />
      </Suspense>
    )
  );
}
