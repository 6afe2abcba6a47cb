import "./sign-in.css";
import { useStore, useUser } from "@tenon/host";
import { Button } from "@tenon/ui";
import { useEffect, useRef } from "react";
import { useServices } from "../services.ts";
import { Credentials } from "./credentials.tsx";

/** Over the page, which stays as it is: signing in again leads back to it. */
export default function SessionEnded() {
  const { sessionEnd } = useServices();
  const reason = useStore(sessionEnd);
  const user = useUser();
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    dialog?.querySelector<HTMLInputElement>('[name="password"]')?.focus();
    return () => dialog?.close();
  }, []);
  const disabled = reason === "disabled";
  return (
    <dialog
      ref={ref}
      className="t-dialog shell-ended"
      aria-labelledby="ended"
      onCancel={(event) => event.preventDefault()}
    >
      <header>
        <div>
          <h2 id="ended">{disabled ? "Your account was disabled" : "You are signed out"}</h2>
        </div>
      </header>
      <div className="t-dialog-body">
        <p className="t-muted">
          {disabled
            ? "An admin disabled your account. Your saved data is kept."
            : `Sign in again as ${user.name} to continue where you left off.`}
        </p>
        {!disabled && <Credentials login={user.login} />}
        <Button variant="ghost" onClick={() => location.assign("/")}>
          {disabled ? "Go to the sign-in page" : "Sign in as another user"}
        </Button>
      </div>
    </dialog>
  );
}
