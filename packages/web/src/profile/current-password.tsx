import { useWindowTexts } from "../i18n/window-texts.ts";
import { Field } from "../ui/field.tsx";

interface Props {
  value?: string;
  onValue?(value: string): void;
}

/** The user's current password, which the server requires for sensitive changes; `current` in its form. */
export function CurrentPassword({ value, onValue }: Props) {
  const { profile: texts } = useWindowTexts();
  return (
    <Field
      label={texts.current}
      hint={texts.currentHint}
      name="current"
      type="password"
      autoComplete="current-password"
      value={value}
      onChange={onValue && ((event) => onValue(event.target.value))}
    />
  );
}
