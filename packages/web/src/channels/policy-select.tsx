import { useId } from "react";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import type { WindowTexts } from "../i18n/texts.ts";

type Policy = keyof WindowTexts["channelSettings"]["policies"];

interface Props {
  label: string;
  name: string;
  value: Policy;
  choices: readonly Policy[];
}

/** A choice between a few policies. */
export function PolicySelect({ label, name, value, choices }: Props) {
  const { channelSettings } = useWindowTexts();
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} name={name} defaultValue={value}>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {channelSettings.policies[choice]}
          </option>
        ))}
      </select>
    </div>
  );
}
