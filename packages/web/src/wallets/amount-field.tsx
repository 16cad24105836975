import { type ChangeEvent, useState } from "react";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { Field } from "../ui/field.tsx";
import { formatUnits, parseUnits } from "./units.ts";

interface Props {
  label: string;
  /** Number of decimal digits. */
  decimals: number;
  /** The unit, such as USDC. */
  unit: string;
  hint?: string;
  /** The initial amount, in the smallest unit. */
  start?: string | null;
  /** Called with the amount in the smallest unit; null while it is invalid. The browser does not submit the form then. */
  onAmount(amount: string | null): void;
}

/** An exact decimal amount. */
export function AmountField({ label, decimals, unit, hint, start = null, onAmount }: Props) {
  const { price } = useWindowTexts().money;
  const [text, setText] = useState(start === null ? "" : formatUnits(start, decimals));
  const changed = ({ target }: ChangeEvent<HTMLInputElement>) => {
    setText(target.value);
    const amount = parseUnits(target.value, decimals);
    target.setCustomValidity(amount === null && target.value !== "" ? price.invalid(decimals) : "");
    onAmount(amount);
  };
  return (
    <Field
      label={`${label} (${unit})`}
      name="amount"
      inputMode={decimals === 0 ? "numeric" : "decimal"}
      value={text}
      onChange={changed}
      autoComplete="off"
      maxLength={90}
      required
      {...(hint === undefined ? {} : { hint })}
    />
  );
}
