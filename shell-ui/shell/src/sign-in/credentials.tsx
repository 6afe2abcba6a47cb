import { Button, coreApi, Field, Input, Notice, Problem } from "@tenon/ui";
import { CircleAlert } from "lucide-react";
import { useEffect, useState, type FormEvent } from "react";
import type { SessionResponse } from "../boot.ts";
import { PasswordInput } from "../parts/password-input.tsx";
import { useServices } from "../services.ts";

/** Counts down the seconds after a refusal. */
function useWait(): [seconds: number, wait: (seconds: number) => void] {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    if (seconds <= 0) return;
    const timer = setTimeout(() => setSeconds(seconds - 1), 1_000);
    return () => clearTimeout(timer);
  }, [seconds]);
  return [seconds, setSeconds];
}

function messageOf(error: unknown): string {
  if (!(error instanceof Problem)) return "Could not sign in. Try again.";
  return error.code === "identity.wrong_credentials"
    ? "The username or password is wrong."
    : error.message;
}

/** Signs in; `login` fixes who. */
export function Credentials({ login }: { login?: string }) {
  const { signedIn } = useServices();
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [seconds, wait] = useWait();

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (busy || seconds > 0) return;
    const form = event.currentTarget;
    const data = new FormData(form);
    setBusy(true);
    setError(null);
    try {
      const response = await coreApi.post<SessionResponse>("session", {
        login: login ?? data.get("login"),
        password: data.get("password"),
      });
      await signedIn(response);
    } catch (caught) {
      setBusy(false);
      setError(messageOf(caught));
      if (caught instanceof Problem && caught.status === 429) wait(caught.retryAfter ?? 5);
      form.querySelector<HTMLInputElement>('[name="password"]')?.select();
    }
  }

  return (
    <form className="t-form" onSubmit={(event) => void submit(event)}>
      {error && (
        <Notice tone="danger" icon={CircleAlert}>
          {error}
        </Notice>
      )}
      {login === undefined ? (
        <Field label="Username">
          <Input
            name="login"
            autoComplete="username"
            autoCapitalize="off"
            spellCheck={false}
            autoFocus
            required
          />
        </Field>
      ) : (
        <input type="hidden" autoComplete="username" name="login" value={login} />
      )}
      <Field label="Password" required>
        <PasswordInput autoComplete="current-password" autoFocus={login !== undefined} />
      </Field>
      <Button type="submit" variant="primary" busy={busy} aria-disabled={seconds > 0}>
        {seconds > 0 ? `Try again in ${seconds} s` : "Sign in"}
      </Button>
    </form>
  );
}
