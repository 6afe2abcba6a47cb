import { CloudOff } from "lucide-react";
import { useConnection } from "../live/online.ts";

const texts = {
  offline:
    "You are offline. What is shown may be old, and changes cannot be saved until you are back.",
  unreachable: "The server cannot be reached. Trying again by itself.",
};

export function ConnectionNotice() {
  const connection = useConnection();
  if (connection === "online") return <div role="status" />;
  return (
    <div role="status" className="shell-notice">
      <CloudOff size={16} />
      {texts[connection]}
    </div>
  );
}
