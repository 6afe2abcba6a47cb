import "./password-input.css";
import { Input } from "@tenon/ui";
import { Eye, EyeOff } from "lucide-react";
import { useState } from "react";

/** A password input with a button to show the text. Use it in a `Field`. */
export function PasswordInput({
  autoComplete,
  name = "password",
  autoFocus,
}: {
  autoComplete: "current-password" | "new-password";
  name?: string;
  autoFocus?: boolean;
}) {
  const [shown, setShown] = useState(false);
  return (
    <div className="shell-password">
      <Input
        name={name}
        type={shown ? "text" : "password"}
        autoComplete={autoComplete}
        autoFocus={autoFocus}
        spellCheck={false}
        autoCapitalize="off"
      />
      <button
        type="button"
        aria-label={shown ? "Hide the password" : "Show the password"}
        aria-pressed={shown}
        onClick={() => setShown(!shown)}
      >
        {shown ? <EyeOff size={16} /> : <Eye size={16} />}
      </button>
    </div>
  );
}
