import { useMutation, useQueryClient } from "@tanstack/react-query";
import { errorMessage, Problem, toast } from "@tenon/ui";
import { useEffect, useRef, useState } from "react";
import { pluginsKey } from "./console-api.ts";
import {
  installPackage,
  mostPackageBytes,
  planPackage,
  type Change,
  type PackagePlan,
} from "./packages-api.ts";

export type Stage = "choose" | "sending" | "plan" | "trust";

const done: Readonly<Record<Change, (plan: PackagePlan) => string>> = {
  install: ({ name, to }) => `${name} ${to} is installed`,
  reinstall: ({ name, to }) => `${name} ${to} is installed again`,
  upgrade: ({ name, to }) => `${name} is upgraded to ${to}`,
  downgrade: ({ name, to }) => `${name} is now version ${to}`,
};

// The server has another plan by now, or keeps the package no more: it is asked anew.
const stale = ["plugins.consent_required", "plugins.package_unknown"];

/** A package on its way in: chosen, sent, looked at, installed. */
export interface Install {
  isOpen: boolean;
  stage: Stage;
  file: File | null;
  /** 0 to 1 of the file. */
  sent: number;
  plan: PackagePlan | null;
  /** Why the step before did not work. */
  failure: string;
  isInstalling: boolean;
  /** Codes of what was agreed to. */
  consents: ReadonlySet<string>;
  agree(consents: ReadonlySet<string>): void;
  /** Name of the export whose data is taken back; empty for none. */
  data: string;
  takeBack(data: string): void;
  show(): void;
  close(): void;
  /** Sends a file, to learn what it would do. */
  take(file: File): Promise<void>;
  go(stage: "choose" | "plan" | "trust"): void;
  install(): void;
}

export function useInstall(): Install {
  const queries = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const [stage, setStage] = useState<Stage>("choose");
  const [file, setFile] = useState<File | null>(null);
  const [sent, setSent] = useState(0);
  const [plan, setPlan] = useState<PackagePlan | null>(null);
  const [consents, agree] = useState<ReadonlySet<string>>(new Set());
  const [data, takeBack] = useState("");
  const [failure, setFailure] = useState("");
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);

  const take = async (chosen: File, why = "") => {
    running.current?.abort();
    setOpen(true);
    setPlan(null);
    agree(new Set());
    takeBack("");
    if (chosen.size > mostPackageBytes) {
      setFailure(`${chosen.name} is larger than 64 MB, the most that a package may be.`);
      return setStage("choose");
    }
    const controller = new AbortController();
    running.current = controller;
    setFile(chosen);
    setFailure("");
    setSent(0);
    setStage("sending");
    try {
      const planned = await planPackage(chosen, {
        signal: controller.signal,
        onProgress: setSent,
      });
      if (controller.signal.aborted) return;
      setPlan(planned);
      setFailure(why);
      setStage("plan");
    } catch (error) {
      if (controller.signal.aborted) return;
      // The server knows no name of what was sent.
      setFailure(errorMessage(error).replace(/^the package\b/, chosen.name));
      setStage("choose");
    }
  };

  const { mutate, isPending } = useMutation({
    mutationFn: (planned: PackagePlan) => installPackage(planned, data),
    async onSuccess(_, planned) {
      await queries.invalidateQueries({ queryKey: pluginsKey });
      setOpen(false);
      toast(done[planned.change](planned));
    },
    onError(error, planned) {
      void queries.invalidateQueries({ queryKey: pluginsKey });
      if (!isOpenNow.current) {
        toast(`${planned.name} ${planned.to} was not installed. ${errorMessage(error)}`, {
          tone: "danger",
        });
      } else if (file && error instanceof Problem && stale.includes(error.code)) {
        void take(file, "Something changed since. Look at it again.");
      } else {
        setFailure(errorMessage(error));
      }
    },
  });
  const isOpenNow = useRef(isOpen);
  useEffect(() => {
    isOpenNow.current = isOpen;
  });

  return {
    isOpen,
    stage,
    file,
    sent,
    plan,
    failure,
    isInstalling: isPending,
    consents,
    agree,
    data,
    takeBack,
    show() {
      // One that still runs is shown again.
      if (!isPending) {
        setStage("choose");
        setPlan(null);
        setFailure("");
      }
      setOpen(true);
    },
    close() {
      running.current?.abort();
      setOpen(false);
      if (isPending && plan) toast(`${plan.name} ${plan.to} is still being installed`);
    },
    take: (chosen) => take(chosen),
    go(next) {
      running.current?.abort();
      setFailure("");
      setStage(next);
    },
    install() {
      if (!plan) return;
      setFailure("");
      mutate(plan);
    },
  };
}
