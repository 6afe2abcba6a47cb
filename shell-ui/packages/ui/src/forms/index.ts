export { ComboBox, type ComboBoxOption, type ComboBoxProps } from "./combo-box.tsx";
export { NumberField, type NumberFieldProps } from "./number-field.tsx";
export { usePeople, type Person } from "./people.ts";
export { PeoplePicker, type PeoplePickerProps } from "./people-picker.tsx";
export { TagList, type TagListProps } from "./tag-list.tsx";
