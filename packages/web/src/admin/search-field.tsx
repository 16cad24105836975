import { useState } from "react";
import { Field } from "../ui/field.tsx";

interface Props {
  label: string;
  value: string;
  maxLength?: number;
  onValue(value: string): void;
}

/** A field that filters a list while the user types. */
export function SearchField({ label, value, maxLength, onValue }: Props) {
  /** With the spaces at its ends, between which somebody is writing. */
  const [typed, setTyped] = useState(value);
  return (
    <Field
      label={label}
      type="search"
      autoComplete="off"
      maxLength={maxLength}
      value={typed}
      onChange={(event) => {
        setTyped(event.target.value);
        onValue(event.target.value.trim());
      }}
    />
  );
}
