import { useEffect, useRef } from "react";
import { SideBar } from "./side-bar.tsx";

/** The side bar on a phone. */
export function Drawer({ open, onClose }: { open: boolean; onClose(): void }) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = ref.current;
    if (open && !dialog?.open) dialog?.showModal();
    if (!open && dialog?.open) dialog.close();
  }, [open]);
  return (
    <dialog
      ref={ref}
      className="shell-drawer"
      aria-label="Navigation"
      onClose={onClose}
      onClick={(event) => {
        const onLink = event.target instanceof Element && event.target.closest("a, .shell-search");
        if (event.target === ref.current || onLink) onClose();
      }}
    >
      <SideBar />
    </dialog>
  );
}
