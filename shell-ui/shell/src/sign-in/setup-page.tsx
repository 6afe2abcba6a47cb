import { useStore } from "@tenon/host";
import { Button, coreApi, Field, Input, Notice, Problem } from "@tenon/ui";
import { CircleAlert } from "lucide-react";
import { useState, type FormEvent } from "react";
import { useLocation, useNavigate } from "react-router";
import type { SessionResponse } from "../boot.ts";
import { PasswordInput } from "../parts/password-input.tsx";
import { useServices } from "../services.ts";
import { SignedOutLayout } from "./signed-out-layout.tsx";

const messages: Readonly<Record<string, string>> = {
  "identity.setup_token_wrong":
    "This set-up link is not valid. The server prints a new one each time it starts.",
  "identity.setup_done": "This installation is already set up. Reload the page to sign in.",
};

/** The first account. */
export default function SetupPage() {
  const { name, signedIn } = useServices();
  const installation = useStore(name);
  const navigate = useNavigate();
  const [given] = useState(new URLSearchParams(useLocation().search).get("token"));
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  const fields = problem?.fields ?? {};

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    setBusy(true);
    setProblem(null);
    try {
      const response = await coreApi.post<SessionResponse>("setup", {
        token: given ?? data.get("token"),
        name: data.get("name"),
        login: data.get("login"),
        password: data.get("password"),
      });
      // The link has done its work: it leaves the history.
      await navigate("/", { replace: true });
      await signedIn(response);
    } catch (error) {
      setBusy(false);
      if (error instanceof Problem) setProblem(error);
      else throw error;
    }
  }

  return (
    <SignedOutLayout
      title={`Set up ${installation}`}
      text="Create the first account. It is an admin account that can enable plugins and add users."
    >
      <form className="t-form" onSubmit={(event) => void submit(event)}>
        {problem && problem.errors.length === 0 && (
          <Notice tone="danger" icon={CircleAlert}>
            {messages[problem.code] ?? problem.message}
          </Notice>
        )}
        {given === null && (
          <Field
            label="Set-up token"
            hint="The last part of the set-up link that the server printed."
            error={fields.token}
            required
          >
            <Input name="token" autoComplete="off" spellCheck={false} autoFocus />
          </Field>
        )}
        <Field label="Your name" error={fields.name} required>
          <Input name="name" autoComplete="name" autoFocus={given !== null} />
        </Field>
        <Field label="Username" hint="Letters, digits and . _ - @ +" error={fields.login} required>
          <Input name="login" autoComplete="username" autoCapitalize="off" spellCheck={false} />
        </Field>
        <Field
          label="Password"
          hint="At least 8 characters. A passphrase is best."
          error={fields.password}
          required
        >
          <PasswordInput autoComplete="new-password" />
        </Field>
        <Button type="submit" variant="primary" busy={busy}>
          Create account
        </Button>
      </form>
    </SignedOutLayout>
  );
}
