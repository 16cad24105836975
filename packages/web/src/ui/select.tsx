import { type SelectHTMLAttributes, useId } from "react";

interface Props extends SelectHTMLAttributes<HTMLSelectElement> {
  label: string;
  /** Labels by value. */
  choices: Readonly<Record<string, string>>;
}

/** A labelled select. */
export function Select({ label, choices, ...select }: Props) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} {...select}>
        {Object.entries(choices).map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}
