import { useId } from "react";
import type { Texts } from "../i18n/texts.ts";
import { useTexts } from "../i18n/use-texts.ts";

type Policy = keyof Texts["channels"]["policies"];

interface Props {
  label: string;
  name: string;
  value: Policy;
  choices: readonly Policy[];
}

/** A choice between a few policies. */
export function PolicySelect({ label, name, value, choices }: Props) {
  const { channels } = useTexts();
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} name={name} defaultValue={value}>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {channels.policies[choice]}
          </option>
        ))}
      </select>
    </div>
  );
}
