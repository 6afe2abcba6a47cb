import { Check, ChevronDown } from "lucide-react";
import { Button } from "react-aria-components/Button";
import { ComboBox as AriaComboBox } from "react-aria-components/ComboBox";
import { Group } from "react-aria-components/Group";
import { Input } from "react-aria-components/Input";
import { ListBox, ListBoxItem } from "react-aria-components/ListBox";
import { FieldParts, FloatingBox, type AriaFieldProps } from "../aria/parts.tsx";

export interface ComboBoxOption {
  id: string;
  title: string;
}

export interface ComboBoxProps extends AriaFieldProps {
  options: readonly ComboBoxOption[];
  /** Id of the option that is chosen. */
  value: string | null;
  onChange(value: string | null): void;
  placeholder?: string;
  /** Takes what was typed as it is, too. */
  onText?(text: string): void;
}

/** One of many, found by typing. */
export function ComboBox({
  options,
  value,
  onChange,
  placeholder,
  onText,
  ...field
}: ComboBoxProps) {
  return (
    <AriaComboBox
      className="t-field"
      defaultItems={options}
      value={value}
      onChange={(key) => onChange(key === null ? null : String(key))}
      onInputChange={onText}
      allowsCustomValue={onText !== undefined}
      isInvalid={Boolean(field.error)}
      menuTrigger="focus"
    >
      <FieldParts {...field}>
        <Group className="t-input t-aria-group">
          <Input placeholder={placeholder} />
          <Button>
            <ChevronDown size={16} />
          </Button>
        </Group>
      </FieldParts>
      <FloatingBox>
        <ListBox className="t-aria-list">
          {(option: ComboBoxOption) => (
            <ListBoxItem className="t-aria-item" id={option.id} textValue={option.title}>
              {({ isSelected }) => (
                <>
                  <span>{option.title}</span>
                  {isSelected && <Check size={16} />}
                </>
              )}
            </ListBoxItem>
          )}
        </ListBox>
      </FloatingBox>
    </AriaComboBox>
  );
}
