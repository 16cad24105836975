import { PAID_BYTES, type PaidBody } from "@parley/protocol/payments";
import { type FormEvent, useId, useState } from "react";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import type { WindowTexts } from "../i18n/texts.ts";
import { UserFacingError } from "../i18n/user-facing-error.ts";
import { type Coin, keyOf } from "../model/chains.ts";
import { useParley } from "../session/parley-context.ts";
import { Field } from "../ui/field.tsx";
import { Select } from "../ui/select.tsx";
import { Submit } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";
import { AmountField } from "../wallets/amount-field.tsx";
import { chainName } from "../wallets/wallet-texts.ts";

type Kind = keyof WindowTexts["admin"]["saleKinds"];

/** A form that puts a text, JSON or a file up for sale. */
export function SaleForm({ coins, onDone }: { coins: readonly Coin[]; onDone(): void }) {
  const parley = useParley();
  const windowTexts = useWindowTexts();
  const { admin: texts, money } = windowTexts;
  const action = useAction();
  const id = useId();
  const [kind, setKind] = useState<Kind>("text");
  const [chosen, setChosen] = useState(() => coins.map(keyOf)[0] ?? "");
  const [amount, setAmount] = useState<string | null>(null);
  const coin = coins.find((each) => keyOf(each) === chosen);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    if (coin === undefined || amount === null) return;
    const price = { amount, currency: coin.currency, chain_id: coin.chain_id };
    const isDone = await action.run(async () => {
      const body: PaidBody = {
        slug: String(form.get("slug") ?? "").trim(),
        description: String(form.get("description") ?? "").trim() || null,
        price,
        ...(await contentOf(kind, form, windowTexts)),
      };
      await parley.client.payments.sell(body);
    });
    if (isDone) onDone();
  };
  return (
    <form className="stack" onSubmit={submit}>
      <Field
        label={texts.slug}
        hint={texts.slugHint}
        name="slug"
        pattern="[a-z0-9]([a-z0-9\-]{0,62}[a-z0-9])?"
        title={texts.slugHint}
        maxLength={64}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        required
      />
      <Field label={texts.description} name="description" maxLength={250} autoComplete="off" />
      <Select
        label={texts.saleKind}
        choices={texts.saleKinds}
        value={kind}
        onChange={(event) => setKind(event.target.value as Kind)}
      />
      <div className="field">
        <label htmlFor={id}>{texts.content}</label>
        {kind === "file" ? (
          <input id={id} name="file" type="file" required />
        ) : (
          <textarea id={id} name="content" className={kind === "json" ? "mono" : undefined} rows={6} required />
        )}
      </div>
      <div className="pair">
        <Select
          label={money.transfer.chain}
          choices={Object.fromEntries(
            coins.map((each) => [keyOf(each), money.on(each.currency, chainName(windowTexts, each.chain_id))]),
          )}
          value={chosen}
          onChange={(event) => {
            setChosen(event.target.value);
            setAmount(null);
          }}
        />
        {coin !== undefined && (
          <AmountField
            key={chosen}
            label={money.price.amount}
            decimals={coin.decimals}
            unit={coin.currency}
            onAmount={setAmount}
          />
        )}
      </div>
      <Submit action={action}>{texts.sell}</Submit>
    </form>
  );
}

/** Reads the content to sell. Throws `UserFacingError` if it cannot be sold. */
async function contentOf(kind: Kind, form: FormData, { admin: texts }: WindowTexts): Promise<Partial<PaidBody>> {
  const text = String(form.get("content") ?? "");
  if (kind === "text") return { text };
  if (kind === "json") {
    try {
      return { json: JSON.parse(text) as unknown };
    } catch {
      throw new UserFacingError(texts.notJson);
    }
  }
  const file = form.get("file");
  if (!(file instanceof File) || file.size === 0) throw new UserFacingError(texts.noFile);
  if (file.size > PAID_BYTES) throw new UserFacingError(texts.tooLarge(texts.bytes(PAID_BYTES)));
  const type = file.type.toLowerCase();
  // If the browser does not know the media type, the server stores it as bytes.
  return { base64: await base64Of(file), ...(type === "" ? {} : { media_type: type }) };
}

function base64Of(file: File): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const reader = new FileReader();
  reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ""));
  reader.onerror = () => reject(reader.error ?? new Error("The file cannot be read."));
  reader.readAsDataURL(file);
  return promise;
}
