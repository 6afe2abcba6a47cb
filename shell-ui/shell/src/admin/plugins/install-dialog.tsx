import "./packages.css";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Button, Dialog, Notice, Problem, Progress } from "@tenon/ui";
import { CircleAlert } from "lucide-react";
import { useEffect, useRef, type ReactNode } from "react";
import { InstallQueue } from "./install-queue.tsx";
import { nameOf } from "./package-source.ts";
import { PackageZone } from "./file-drop.tsx";
import { text } from "../form-dialog.tsx";
import { PlanExports } from "./install-exports.tsx";
import {
  PlanConsents,
  PlanData,
  PlanFacts,
  PlanPermissions,
  PlanRefusals,
  PlanOutgoing,
  PlanPublicPaths,
  PlanResponseHeaders,
} from "./install-plan.tsx";
import { KeyFields } from "../keys/key-dialogs.tsx";
import { keyNumber, keysKey, trustKey, type Change } from "./packages-api.ts";
import { registryKey } from "../registry/registry-api.ts";
import type { Install } from "./use-install.ts";

const verbs: Readonly<Record<Change, string>> = {
  install: "Install",
  upgrade: "Upgrade",
  downgrade: "Downgrade",
  reinstall: "Reinstall",
};

interface StepProps {
  install: Install;
  /** A file is above the window. */
  isDragOver: boolean;
}

/** A package becomes a plugin, or another version of one: choose it, see what it would do, agree, install. */
export function InstallDialog({ install, isDragOver }: StepProps) {
  const { isOpen, stage, close, failure, source } = install;
  const isFile = source?.kind !== "registry";
  const trust = useTrust(install);
  const body = useStepFocus(stage);
  return (
    <Dialog
      open={isOpen}
      onClose={close}
      title={titleOf(install)}
      size={stage === "plan" ? "large" : undefined}
      actions={
        (stage !== "choose" || !isFile) && (
          <Actions install={install} isTrusting={trust.isPending} />
        )
      }
      onSubmit={stage === "trust" ? trust.submit : undefined}
    >
      <div className="shell-install" data-stage={isFile ? stage : undefined} ref={body}>
        {stage !== "trust" && <InstallQueue install={install} />}
        {failure && (
          <Notice tone="danger" icon={CircleAlert}>
            {failure}
          </Notice>
        )}
        {stage === "choose" && isFile && (
          <PackageZone isDragOver={isDragOver} onFile={(file) => void install.take(file)} />
        )}
        {stage === "sending" && <Sending install={install} />}
        {stage === "plan" && <Plan install={install} />}
        {stage === "trust" && (
          <>
            <p className="t-muted">
              This package is signed with the key <code>{install.plan?.signer.key}</code>. Plugins
              signed with this key will run inside your server. Trust it only if you know the
              publisher.
            </p>
            {trust.error && !trust.fields.key && !trust.fields.name && (
              <Notice tone="danger" icon={CircleAlert}>
                {trust.error}
              </Notice>
            )}
            <KeyFields errors={trust.fields} />
          </>
        )}
      </div>
    </Dialog>
  );
}

function titleOf({ stage, plan, source }: Install): string {
  if (stage === "trust") return "Trust this key";
  if (stage !== "plan" || !plan)
    return source?.kind === "registry" ? `Install ${source.pick.name}` : "Install a package";
  const { change, name } = plan;
  return `${verbs[change]} ${name}`;
}

/** What had the focus is gone with its step: it stays in the dialog. */
function useStepFocus(stage: string) {
  const body = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const dialog = body.current?.closest("dialog");
    if (!dialog?.open || dialog.contains(document.activeElement)) return;
    const first = "[data-autofocus], textarea, fieldset input";
    (dialog.querySelector<HTMLElement>(first) ?? dialog).focus();
  }, [stage]);
  return body;
}

function Sending({ install: { source, sent } }: { install: Install }) {
  const isSent = sent >= 1;
  const verb = isSent ? "Checking" : source?.kind === "registry" ? "Downloading" : "Uploading";
  const label = `${verb} ${source ? nameOf(source) : ""}`;
  return (
    <div className="shell-install-progress">
      <p role="status">{label}</p>
      <Progress label={label} value={isSent ? undefined : sent} max={isSent ? undefined : 1} />
    </div>
  );
}

function Plan({ install }: { install: Install }) {
  const { plan, consents, agree, data, takeBack } = install;
  if (!plan) return null;
  return (
    <>
      <PlanRefusals plan={plan} onTrust={() => install.go("trust")} />
      <PlanFacts plan={plan} />
      <PlanPermissions plan={plan} />
      <PlanOutgoing plan={plan} />
      <PlanPublicPaths plan={plan} />
      <PlanResponseHeaders plan={plan} />
      <PlanData plan={plan} isTakenBack={data !== ""} />
      {plan.refusals.length === 0 && (
        <>
          <PlanExports plan={plan} chosen={data} onChange={takeBack} />
          <PlanConsents plan={plan} given={consents} onChange={agree} />
        </>
      )}
    </>
  );
}

/** The buttons of a step. */
function Actions({ install, isTrusting }: { install: Install; isTrusting: boolean }): ReactNode {
  const { stage, plan, consents, isInstalling, close, go, source, queue, at } = install;
  const isFile = source?.kind !== "registry";
  if (stage === "sending")
    return <Button onClick={() => (isFile ? go("choose") : close())}>Cancel</Button>;
  if (stage === "choose") {
    return (
      <>
        <Button onClick={close}>Close</Button>
        <Button variant="primary" onClick={() => void install.again()}>
          Try again
        </Button>
      </>
    );
  }
  if (stage === "trust") {
    return (
      <>
        <Button onClick={() => go("plan")}>Back</Button>
        <Button variant="primary" type="submit" busy={isTrusting}>
          Trust key
        </Button>
      </>
    );
  }
  if (!plan) return null;
  if (plan.refusals.length > 0) {
    return (
      <>
        <Button onClick={close}>Close</Button>
        {isFile && <Button onClick={() => go("choose")}>Choose another file</Button>}
      </>
    );
  }
  const { change, to } = plan;
  const verb =
    change === "upgrade" || change === "downgrade" ? `${verbs[change]} to ${to}` : verbs[change];
  return (
    <>
      <Button onClick={close}>Cancel</Button>
      <Button
        variant="primary"
        busy={isInstalling}
        disabled={plan.consents.some(({ code }) => !consents.has(code))}
        onClick={install.install}
      >
        {at + 1 < queue.length ? `${verb} and continue` : verb}
      </Button>
    </>
  );
}

/** Trusts the key that signed the package, and no other by mistake; then the package is looked at again. */
function useTrust({ plan, again }: Install) {
  const queries = useQueryClient();
  const { mutate, error, isPending } = useMutation({
    mutationFn: async (values: FormData) => {
      const key = text(values, "key");
      const number = keyNumber(key);
      const wanted = plan?.signer.key ?? "";
      if (number && number !== wanted) {
        const message = `This is the key ${number}. Paste the key that signed the package: ${wanted}.`;
        throw new Problem({
          status: 422,
          code: "client.other_key",
          message,
          errors: [{ field: "key", code: "invalid", message }],
        });
      }
      return trustKey(key, text(values, "name"));
    },
    onSuccess() {
      void queries.invalidateQueries({ queryKey: keysKey });
      void queries.invalidateQueries({ queryKey: registryKey });
      void again();
    },
  });
  const problem = error instanceof Problem ? error : null;
  return {
    isPending,
    error: error && (problem?.message ?? "Could not trust the key. Try again."),
    fields: keyErrors(problem),
    submit: (form: HTMLFormElement) => isPending || mutate(new FormData(form)),
  };
}

/** The field that a refusal means. */
function keyErrors(problem: Problem | null): Readonly<Record<string, string>> {
  if (!problem) return {};
  return problem.code.startsWith("plugins.signature_key") && problem.errors.length === 0
    ? { key: problem.message }
    : problem.fields;
}
