import { Button, Field, IconButton, Menu, MenuItem, Select, toast } from "@tenon/ui";
import { DatePicker } from "@tenon/ui/dates";
import { PeoplePicker } from "@tenon/ui/forms";
import { Archive, ArchiveRestore, Plus, Tags } from "lucide-react";
import { useState } from "react";
import { ask } from "../board/ask.ts";
import { LabelChip } from "../board/card-face.tsx";
import { othersOf, useArchiveCard } from "../board/use-moves.ts";
import { addDays, today, wholeDayText } from "../model/days.ts";
import { keyAtEnd } from "../model/order.ts";
import type { CardsRepeat } from "../tables.gen.ts";
import { useCardChange, type CardPartProps } from "./part.ts";

const repeats: Record<CardsRepeat, string> = {
  daily: "Every day",
  weekdays: "Every weekday",
  weekly: "Every week",
  monthly: "Every month",
  yearly: "Every year",
};

const firstAfter: Record<CardsRepeat, number> = {
  daily: 1,
  weekdays: 1,
  weekly: 7,
  monthly: 30,
  yearly: 365,
};

/** Shows the properties of a card, next to its text. */
export function CardSide({ card, data, onClose }: CardPartProps & { onClose(): void }) {
  const change = useCardChange(card.id);
  const archive = useArchiveCard();
  const isReader = !data.isWriter;
  const putAway = () => {
    if (card.archived === null) {
      archive(card);
      onClose();
    } else {
      change({ archived: null });
      toast(`“${card.title}” restored`);
    }
  };
  return (
    <fieldset className="tasks-card-side" disabled={isReader} aria-label="Details">
      <Field label="Column">
        <Select
          value={card.column}
          onChange={({ target: { value: column } }) =>
            change({ column, position: keyAtEnd(othersOf(data.cards, column, card.id)) })
          }
        >
          {data.columns.map(({ id, title }) => (
            <option key={id} value={id}>
              {title}
            </option>
          ))}
        </Select>
      </Field>
      <PeoplePicker
        label="Assigned to"
        kind="user"
        placeholder="Add people"
        value={card.assignees}
        onChange={(assignees) => change({ assignees: [...assignees] })}
      />
      <CardLabels card={card} data={data} />
      <div className="tasks-due-field">
        <DatePicker label="Due" value={card.due} onChange={(due) => change({ due })} />
        {card.due !== null && !isReader && (
          <Button variant="ghost" size="small" onClick={() => change({ due: null })}>
            Clear date
          </Button>
        )}
      </div>
      <Field
        label="Repeats"
        hint={
          card.repeats !== null && card.repeat !== null
            ? `The next copy is created on ${wholeDayText(card.repeats)}.`
            : undefined
        }
      >
        <Select
          value={card.repeat ?? ""}
          onChange={({ target: { value } }) => {
            const repeat = (value || null) as CardsRepeat | null;
            const begin = card.due !== null && card.due >= today() ? card.due : today();
            change({
              repeat,
              repeats: repeat && addDays(begin, firstAfter[repeat]),
              repeat_column: repeat && card.column,
            });
          }}
        >
          <option value="">Never</option>
          {(Object.keys(repeats) as CardsRepeat[]).map((repeat) => (
            <option key={repeat} value={repeat}>
              {repeats[repeat]}
            </option>
          ))}
        </Select>
      </Field>
      {card.repeat !== null && (
        <DatePicker
          label="Next copy"
          value={card.repeats}
          min={addDays(today(), 1)}
          onChange={(next) => next && change({ repeats: next })}
        />
      )}
      {!isReader && (
        <Button icon={card.archived === null ? Archive : ArchiveRestore} onClick={putAway}>
          {card.archived === null ? "Archive" : "Restore"}
        </Button>
      )}
    </fieldset>
  );
}

function CardLabels({ card, data }: CardPartProps) {
  const change = useCardChange(card.id);
  const [said, setSaid] = useState("");
  const toggle = (id: string, name: string) => {
    const has = card.labels.includes(id);
    setSaid(`${name} ${has ? "removed" : "added"}`);
    change({ labels: has ? card.labels.filter((one) => one !== id) : [...card.labels, id] });
  };
  return (
    <div className="t-field" role="group" aria-label="Labels">
      <span className="tasks-side-name">Labels</span>
      <span className="tasks-labels">
        {card.labels.map((id) => {
          const label = data.labels.get(id);
          return label && <LabelChip key={id} label={label} />;
        })}
        {data.isWriter && (
          <Menu
            label="Labels"
            trigger={<IconButton icon={Plus} size="small" label="Add or remove labels" />}
          >
            {[...data.labels.values()].map(({ id, name, color }) => (
              <MenuItem
                key={id}
                checked={card.labels.includes(id)}
                onSelect={() => toggle(id, name)}
              >
                <span className="tasks-dot" data-color={color} />
                {name}
              </MenuItem>
            ))}
            <MenuItem icon={Tags} onSelect={() => ask({ kind: "labels" })}>
              Edit labels
            </MenuItem>
          </Menu>
        )}
      </span>
      <span className="t-visually-hidden" role="status">
        {said}
      </span>
    </div>
  );
}
