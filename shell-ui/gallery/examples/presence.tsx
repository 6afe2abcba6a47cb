import { PresenceStack } from "@tenon/ui/records";

export default function Example() {
  return (
    <PresenceStack
      total={5}
      people={[
        { name: "Ada Lovelace", hue: 0, state: "editing" },
        { name: "Grace Hopper", hue: 2 },
        { name: "Alan Turing", hue: 5 },
      ]}
      states={{ editing: "is editing" }}
    />
  );
}
