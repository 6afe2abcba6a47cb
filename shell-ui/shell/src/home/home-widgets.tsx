import { useStore } from "@tenon/host";
import { Contribution } from "../contributions/contribution.tsx";
import { useServices } from "../services.ts";

/** Shows the widgets of plugins on the home page. */
export default function HomeWidgets() {
  const { plugins } = useStore(useServices().registry.store);
  return (
    <div className="shell-widgets">
      {plugins.flatMap((plugin) =>
        (plugin.contributions?.["home.widgets"] ?? []).map((widget) => (
          <Contribution
            key={`${plugin.id}:${widget.id}`}
            point="home.widgets"
            plugin={plugin}
            entry={widget}
          />
        )),
      )}
    </div>
  );
}
