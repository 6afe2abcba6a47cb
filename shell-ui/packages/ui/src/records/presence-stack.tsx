import { Avatar } from "../kit/avatar.tsx";
import { Tooltip } from "../kit/tooltip.tsx";
import type { PresentPerson, Presence } from "./presence.ts";
import "../styles/records.css";

export interface PresenceStackProps extends Presence {
  /** Largest number of avatars; a number replaces the others. */
  max?: number;
  /** Words of states, for people: `{ editing: "is editing" }`. */
  states?: Readonly<Record<string, string>>;
}

function textOf({ name, state }: PresentPerson, states: PresenceStackProps["states"]): string {
  const word = state && (states?.[state] ?? state);
  return word ? `${name}, ${word}` : name;
}

/** Shows who else views a record: avatars in the colours of the users, with their names as tooltips. Empty if there are none. */
export function PresenceStack({ people, total, max = 3, states }: PresenceStackProps) {
  if (total === 0) return null;
  // A number instead of one avatar alone says less than the avatar.
  const shown = people.slice(0, total > max + 1 ? max : max + 1);
  const rest = total - shown.length;
  const others = people.slice(shown.length);
  const unnamed = total - people.length;
  const names = others.map((one) => textOf(one, states));
  if (unnamed > 0) names.push(`${unnamed} more`);
  return (
    <div className="t-presence" role="group" aria-label="Also here">
      <ul>
        {shown.map((one, at) => (
          <li key={`${at} ${one.name}`} data-hue={one.hue} data-state={one.state}>
            <Tooltip label={textOf(one, states)}>
              <span
                className="t-presence-one"
                tabIndex={0}
                role="img"
                aria-label={textOf(one, states)}
              >
                <Avatar name={one.name} />
              </span>
            </Tooltip>
          </li>
        ))}
        {rest > 0 && (
          <li>
            <Tooltip label={names.join(", ")}>
              <span
                className="t-presence-one t-presence-rest"
                tabIndex={0}
                role="img"
                aria-label={`${rest} more: ${names.join(", ")}`}
              >
                +{rest}
              </span>
            </Tooltip>
          </li>
        )}
      </ul>
    </div>
  );
}
