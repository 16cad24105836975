import { Field } from "../ui/field.tsx";

interface Props {
  label: string;
  value: string;
  maxLength?: number;
  onValue(value: string): void;
}

/** A field that filters a list while the user types. */
export function SearchField({ label, value, maxLength, onValue }: Props) {
  return (
    <Field
      label={label}
      type="search"
      autoComplete="off"
      maxLength={maxLength}
      value={value}
      onChange={(event) => onValue(event.target.value.trim())}
    />
  );
}
