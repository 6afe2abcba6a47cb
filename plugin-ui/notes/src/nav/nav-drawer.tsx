import { useEffect, useRef, type ReactNode } from "react";

/** Shows the notebooks when the window is too narrow for their pane. */
export function NavDrawer({
  open,
  onClose,
  children,
}: {
  open: boolean;
  onClose(): void;
  children: ReactNode;
}) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = ref.current;
    if (open && !element?.open) element?.showModal();
    if (!open && element?.open) element.close();
  }, [open]);
  return (
    <dialog
      ref={ref}
      className="notes-drawer"
      aria-label="Notebooks and tags"
      onClose={onClose}
      onClick={(event) => {
        const onLink = event.target instanceof Element && event.target.closest("a");
        if (event.target === ref.current || onLink) onClose();
      }}
    >
      {open && children}
    </dialog>
  );
}
