import "./sign-in.css";
import { usePageTitle } from "@tenon/host";
import type { ReactNode } from "react";
import { Mark } from "../frame/mark.tsx";

/** The page of who is not inside yet. */
export function SignedOutLayout({
  title,
  text,
  children,
}: {
  title: string;
  text?: ReactNode;
  children: ReactNode;
}) {
  usePageTitle(title);
  return (
    <main className="shell-door">
      <div>
        <Mark size={32} />
        <h1>{title}</h1>
        {text && <p className="t-muted">{text}</p>}
        {children}
      </div>
    </main>
  );
}
