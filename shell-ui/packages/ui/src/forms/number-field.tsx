import { Minus, Plus } from "lucide-react";
import { Button } from "react-aria-components/Button";
import { Group } from "react-aria-components/Group";
import { Input } from "react-aria-components/Input";
import { NumberField as AriaNumberField } from "react-aria-components/NumberField";
import { FieldParts, type AriaFieldProps } from "../aria/parts.tsx";

export interface NumberFieldProps extends AriaFieldProps {
  /** `NaN` is an empty field. */
  value: number;
  onChange(value: number): void;
  min?: number;
  max?: number;
  step?: number;
  format?: Intl.NumberFormatOptions;
}

/** A number as the person's language writes it; arrows and wheel step it. */
export function NumberField({
  value,
  onChange,
  min,
  max,
  step,
  format,
  ...field
}: NumberFieldProps) {
  return (
    <AriaNumberField
      className="t-field"
      value={value}
      onChange={onChange}
      minValue={min}
      maxValue={max}
      step={step}
      formatOptions={format}
      isInvalid={Boolean(field.error)}
    >
      <FieldParts {...field}>
        <Group className="t-input t-aria-group">
          <Input />
          <span className="t-aria-step">
            <Button slot="decrement">
              <Minus size={14} />
            </Button>
            <Button slot="increment">
              <Plus size={14} />
            </Button>
          </span>
        </Group>
      </FieldParts>
    </AriaNumberField>
  );
}
