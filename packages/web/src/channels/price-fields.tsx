import type { Price } from "@parley/protocol/price";
import { useState } from "react";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { type Coin, coinsFor, keyOf } from "../model/chains.ts";
import { Field } from "../ui/field.tsx";
import { Select } from "../ui/select.tsx";
import { AmountField } from "../wallets/amount-field.tsx";
import { useChains } from "../wallets/use-chains.ts";
import { chainName } from "../wallets/wallet-texts.ts";

interface Props {
  /** The current price; null: free. */
  price: Price | null;
  /** Called with a new price. Not called with an invalid one: the form cannot be submitted then. */
  onPrice(price: Price | null): void;
}

const FREE = "";

/** The price of a place in a channel. Renders nothing if this server takes no payments and no price is set. */
export function PriceFields({ price, onPrice }: Props) {
  const windowTexts = useWindowTexts();
  const { money } = windowTexts;
  const chains = useChains();
  const [chosen, setChosen] = useState(price === null ? FREE : keyOf(price));
  if (chains === null) return null;
  const coins = coinsFor(chains, "payments");
  const old = price !== null && !coins.some((coin) => keyOf(coin) === keyOf(price)) ? price : null;
  if (coins.length === 0 && price === null) return null;
  const coin = coins.find((each) => keyOf(each) === chosen);
  const choices: Record<string, string> = { [FREE]: money.price.free };
  for (const each of coins) choices[keyOf(each)] = money.on(each.currency, chainName(windowTexts, each.chain_id));
  if (old !== null) choices[keyOf(old)] = money.price.gone(old.currency, chainName(windowTexts, old.chain_id));
  const choose = (key: string) => {
    setChosen(key);
    if (key === FREE) onPrice(null);
    else if (price !== null && key === keyOf(price)) onPrice(price);
  };
  const fill = (of: Coin, amount: string | null) => {
    if (amount === null) return;
    const { currency, chain_id } = of;
    const isSame = price !== null && keyOf(price) === keyOf(of) && price.amount === amount;
    onPrice(isSame ? price : { amount, currency, chain_id });
  };
  return (
    <fieldset className="stack">
      <div className="pair">
        <Select
          label={money.price.title}
          choices={choices}
          value={chosen}
          onChange={(event) => choose(event.target.value)}
        />
        {coin !== undefined && (
          <AmountField
            key={keyOf(coin)}
            label={money.price.amount}
            decimals={coin.decimals}
            unit={coin.currency}
            start={price !== null && keyOf(price) === keyOf(coin) ? price.amount : null}
            onAmount={(amount) => fill(coin, amount)}
          />
        )}
        {old !== null && chosen === keyOf(old) && <Field label={money.price.amount} value={old.amount} readOnly />}
      </div>
      {chosen !== FREE && <p className="hint">{money.price.hint}</p>}
    </fieldset>
  );
}
