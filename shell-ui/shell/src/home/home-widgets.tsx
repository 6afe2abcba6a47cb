import { SlotView } from "../contributions/extensions.tsx";

/** Shows the widgets of plugins on the home page. */
export default function HomeWidgets() {
  return (
    <div className="shell-widgets">
      <SlotView name="home.widgets" />
    </div>
  );
}
