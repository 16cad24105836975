import { type FormEvent, useState } from "react";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { CopyField } from "../session/copy-field.tsx";
import { Field } from "../ui/field.tsx";
import { Submit } from "../ui/submit.tsx";
import { solanaPayLink } from "./solana-pay.ts";
import { formatUnits } from "./units.ts";
import { chainName } from "./wallet-texts.ts";

/** A transfer made with a wallet outside this page. */
export interface ManualTransfer {
  readonly chain: "evm" | "solana";
  readonly chainId: number;
  readonly to: string;
  /** In the smallest unit. */
  readonly amount: string;
  readonly currency: string;
  readonly decimals: number;
  readonly tokenAddress: string | null;
  readonly reference: string;
}

/** The details of the transfer, to be copied. `label`: its purpose, as the wallet shows it. */
export function TransferDetails({ transfer, label }: { transfer: ManualTransfer; label: string }) {
  const texts = useWindowTexts();
  const { transfer: words } = texts.money;
  const { chain, chainId, to, amount, currency, decimals, tokenAddress, reference } = transfer;
  const isSolana = chain === "solana";
  return (
    <>
      <p className="where">
        <span className="muted">{words.chain}</span> <strong>{chainName(texts, chainId)}</strong>
      </p>
      <CopyField label={words.to} value={to} />
      <CopyField label={words.amount(currency)} value={formatUnits(amount, decimals)} hint={words.exactly} />
      {tokenAddress !== null && <CopyField label={words.token} value={tokenAddress} />}
      <CopyField
        label={words.reference}
        value={reference}
        hint={isSolana ? words.solanaReference : words.evmReference}
      />
      {isSolana && (
        <a
          className="button secondary"
          href={solanaPayLink({ to, amount, decimals, mint: tokenAddress, reference, label })}
        >
          {words.solanaPay}
        </a>
      )}
    </>
  );
}

interface HashFormProps {
  chain: "evm" | "solana";
  action: string;
  /** The initial value. */
  known?: string;
  error: string | null;
  isBusy: boolean;
  onHash(hash: string): void;
}

/** A form for the hash of a transaction made elsewhere. */
export function HashForm({ chain, action, known = "", error, isBusy, onHash }: HashFormProps) {
  const { transfer: words } = useWindowTexts().money;
  const [hash, setHash] = useState(known);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onHash(hash.trim());
  };
  return (
    <form className="stack" onSubmit={submit}>
      <Field
        label={chain === "solana" ? words.signature : words.hash}
        name="hash"
        value={hash}
        onChange={(event) => setHash(event.target.value)}
        maxLength={128}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        required
      />
      <Submit action={{ error, isBusy }} className="secondary">
        {action}
      </Submit>
    </form>
  );
}
