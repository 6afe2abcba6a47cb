import { useStore } from "@tenon/host";
import { CloudOff } from "lucide-react";
import { useServices } from "../services.ts";

const causes = {
  offline: "You are offline.",
  unreachable: "The server cannot be reached.",
};

/** The one bar about the connection: why there is none, and what becomes of changes. */
export function ConnectionNotice() {
  const { connection, history } = useServices();
  const state = useStore(connection.state);
  const keepsChanges = useStore(history.keepsChanges);
  if (state === "online") return <div role="status" />;
  return (
    <div role="status" className="shell-notice">
      <CloudOff size={16} />
      <span>
        {causes[state]}{" "}
        {keepsChanges
          ? "Your changes are kept in this browser and saved when you are back online."
          : "Changes cannot be saved, and this page may be out of date."}
      </span>
    </div>
  );
}
