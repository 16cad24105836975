import type { PaymentRecord } from "@parley/protocol/payments";
import type { PayoutRecord } from "@parley/protocol/payouts";
import { useCallback, useState } from "react";
import { ListEnd } from "../app/list-end.tsx";
import { useParley } from "../app/parley-context.ts";
import { Section } from "../app/section.tsx";
import { useAct } from "../app/use-act.ts";
import { useList } from "../app/use-list.ts";
import { momentOf } from "../messages/times.ts";
import { useWindowTexts } from "../texts/window-texts.ts";

/** What came in on chains, and what goes out. */
export function MoneyTab() {
  const { admin: texts } = useWindowTexts();
  return (
    <>
      <Section title={texts.payouts}>
        <Payouts />
      </Section>
      <Section title={texts.payments}>
        <Payments />
      </Section>
    </>
  );
}

function Payouts() {
  const parley = useParley();
  const { admin: texts } = useWindowTexts();
  const act = useAct();
  const [halted, setHalted] = useState<string | null>(null);
  const { admin } = parley.client;
  const load = useCallback(
    async (before: number | undefined) => {
      const answer = await admin.payouts({ before });
      setHalted(answer.halted);
      return { items: answer.payouts, next: answer.next_before };
    },
    [admin],
  );
  const list = useList<PayoutRecord>(load);
  const retry = (id: number) => act.run(() => admin.retryPayout(id)).then((isDone) => isDone && list.reload());
  return (
    <>
      {halted !== null && <p className="hint">{texts.halted(halted)}</p>}
      <p className="error" role="alert">
        {act.error}
      </p>
      <ul className="lines">
        {list.items?.map((payout) => (
          <li key={payout.payout_id}>
            <span>
              <code>{payout.key}</code>
              <span className="soft details">
                {payout.amount} {payout.currency} → {payout.recipient}
              </span>
            </span>
            <span className="amount">
              {payout.state}
              {payout.hold !== null && <span className="soft">{payout.hold}</span>}
              {payout.state === "failed" && (
                <button
                  type="button"
                  className="quiet"
                  disabled={act.isBusy}
                  aria-label={`${texts.again}: ${payout.key}`}
                  onClick={() => void retry(payout.payout_id)}
                >
                  {texts.again}
                </button>
              )}
            </span>
          </li>
        ))}
      </ul>
      <ListEnd list={list} none={texts.noMoney} />
    </>
  );
}

function Payments() {
  const parley = useParley();
  const { admin: texts } = useWindowTexts();
  const { payments } = parley.client;
  const load = useCallback(
    async (before: number | undefined) => {
      const answer = await payments.list({ before });
      return { items: answer.payments, next: answer.next_before };
    },
    [payments],
  );
  const list = useList<PaymentRecord>(load);
  return (
    <>
      <ul className="lines">
        {list.items?.map((payment) => (
          <li key={payment.id}>
            <span>
              <code>{payment.resource}</code>
              <span className="soft details">
                {payment.presented_by} · {payment.tx_hash}
              </span>
            </span>
            <span className="amount">
              {payment.amount ?? payment.price} {payment.currency}
              <span className="soft">
                {payment.state} · {momentOf(payment.created_at)}
              </span>
            </span>
          </li>
        ))}
      </ul>
      <ListEnd list={list} none={texts.noMoney} />
    </>
  );
}
