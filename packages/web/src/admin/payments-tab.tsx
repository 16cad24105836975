import type { PaymentRecord, PaymentState, PaymentTotal } from "@parley/protocol/payments";
import { useCallback, useEffect, useState } from "react";
import { momentOf } from "../i18n/date-format.ts";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import type { WindowTexts } from "../i18n/texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { useList } from "../session/use-list.ts";
import { retryUntilDone } from "../state/retry.ts";
import { ListEnd } from "../ui/list-end.tsx";
import { Section } from "../ui/section.tsx";
import { Select } from "../ui/select.tsx";
import { useChains } from "../wallets/use-chains.ts";
import { chainName, priceText } from "../wallets/wallet-texts.ts";
import { SearchField } from "./search-field.tsx";

/** On-chain income: the totals, and each submitted transaction. */
export function PaymentsTab() {
  const { admin: texts } = useWindowTexts();
  return (
    <>
      <Section title={texts.totals}>
        <Totals />
      </Section>
      <Section title={texts.payments}>
        <Payments />
      </Section>
    </>
  );
}

function Totals() {
  const parley = useParley();
  const { app } = useTexts();
  const windowTexts = useWindowTexts();
  const { admin: texts, money } = windowTexts;
  const chains = useChains();
  const [totals, setTotals] = useState<readonly PaymentTotal[] | null>(null);
  useEffect(() => {
    const read = async () => setTotals((await parley.client.payments.totals()).totals);
    return retryUntilDone(read, (error) => parley.showError(error));
  }, [parley]);
  if (totals === null || chains === null) return <p className="hint">{app.loading}</p>;
  if (totals.length === 0) return <p className="hint">{texts.noTotals}</p>;
  return (
    <ul className="totals">
      {totals.map((total) => (
        <li key={`${total.chain_id} ${total.currency} ${total.recipient}`} className="card">
          <strong>{priceText(windowTexts, total, chains)}</strong>
          <span className="muted">{money.on(texts.granted(total.count), chainName(windowTexts, total.chain_id))}</span>
          <span className="muted details">{total.recipient}</span>
        </li>
      ))}
    </ul>
  );
}

function Payments() {
  const parley = useParley();
  const { admin: texts } = useWindowTexts();
  const [state, setState] = useState<PaymentState | "">("");
  const [username, setUsername] = useState("");
  const [hash, setHash] = useState("");
  const { payments } = parley.client;
  const load = useCallback(
    async (before: number | undefined) => {
      const filter = {
        state: state || undefined,
        username: username || undefined,
        tx_hash: hash || undefined,
        before,
      };
      const answer = await payments.list(filter);
      return { items: answer.payments, next: answer.next_before };
    },
    [payments, state, username, hash],
  );
  const list = useList<PaymentRecord>(load);
  return (
    <>
      <div className="filters">
        <Select
          label={texts.show}
          choices={{ "": texts.all, ...texts.paymentStates }}
          value={state}
          onChange={(event) => setState(event.target.value as PaymentState | "")}
        />
        <SearchField label={texts.byUser} value={username} onValue={setUsername} />
        <SearchField label={texts.byHash} value={hash} onValue={setHash} />
      </div>
      <ul className="cards" aria-label={texts.payments}>
        {list.items?.map((payment) => (
          <PaymentCard key={payment.id} payment={payment} />
        ))}
      </ul>
      <ListEnd list={list} none={texts.noMoney} />
    </>
  );
}

function PaymentCard({ payment }: { payment: PaymentRecord }) {
  const windowTexts = useWindowTexts();
  const { admin: texts } = windowTexts;
  const chains = useChains() ?? [];
  const { state, amount, price, binding, reason } = payment;
  const written = (smallest: string) => priceText(windowTexts, { ...payment, amount: smallest }, chains);
  return (
    <li className="card">
      <p className="split-row">
        <strong>{amount === null ? texts.asked(written(price)) : written(amount)}</strong>
        <span className={`state ${state}`}>{texts.paymentStates[state]}</span>
      </p>
      <p>
        <code>{payment.resource}</code>
      </p>
      {reason !== null && <p className="danger-text">{reasonText(windowTexts, reason)}</p>}
      <p className="hint">
        {[
          texts.presentedBy(whoOf(windowTexts, payment.presented_by)),
          momentOf(payment.created_at),
          ...(binding === null ? [] : [texts.bindings[binding]]),
          ...(amount !== null && amount !== price ? [texts.priceWas(written(price))] : []),
        ].join(" · ")}
      </p>
      <p className="muted details">{payment.tx_hash}</p>
    </li>
  );
}

/** `user:ann` → `ann`. */
function whoOf({ admin: texts }: WindowTexts, presentedBy: string): string {
  const [kind, name = ""] = presentedBy.split(/:(.*)/s);
  if (kind === "user") return name;
  return kind === "agent" ? texts.agent(name) : texts.guest;
}

/** Falls back to the code for reasons a newer server reports. */
function reasonText({ admin, money }: WindowTexts, reason: string): string {
  const words: Readonly<Record<string, string>> = { ...money.place.refused, ...admin.reasons };
  return words[reason] ?? reason;
}
