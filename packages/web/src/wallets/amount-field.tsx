import { type ChangeEvent, useState } from "react";
import { Field } from "../app/field.tsx";
import { useWindowTexts } from "../texts/window-texts.ts";
import { inSmallest, inUnits } from "./units.ts";

interface Props {
  label: string;
  /** Digits after the point. */
  decimals: number;
  /** What is counted, such as USDC. */
  unit: string;
  hint?: string;
  /** What stands in it at first, in the smallest unit. */
  start?: string | null;
  /** In the smallest unit; null as long as it is no amount. The browser does not send a form with that. */
  onAmount(amount: string | null): void;
}

/** An amount as people write it, exact to the last digit. */
export function AmountField({ label, decimals, unit, hint, start = null, onAmount }: Props) {
  const { price } = useWindowTexts().money;
  const [text, setText] = useState(start === null ? "" : inUnits(start, decimals));
  const changed = ({ target }: ChangeEvent<HTMLInputElement>) => {
    setText(target.value);
    const amount = inSmallest(target.value, decimals);
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
