import { useStore } from "@tenon/host";
import { useServices } from "../services.ts";
import { Credentials } from "./credentials.tsx";
import { SignedOutLayout } from "./signed-out-layout.tsx";

/** Shown instead of any page, so that signing in leads on to it. */
export default function SignInPage() {
  const name = useStore(useServices().name);
  return (
    <SignedOutLayout title={`Sign in to ${name}`}>
      <Credentials />
    </SignedOutLayout>
  );
}
