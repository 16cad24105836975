import type { PayoutRecord, PayoutState, PayoutsResponse } from "@parley/protocol/payouts";
import { useCallback, useState } from "react";
import { momentOf } from "../i18n/date-format.ts";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { useList } from "../session/use-list.ts";
import { ListEnd } from "../ui/list-end.tsx";
import { Select } from "../ui/select.tsx";
import { ErrorLine } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";
import { useChains } from "../wallets/use-chains.ts";
import { chainName, priceText } from "../wallets/wallet-texts.ts";

type Shown = PayoutState | "open" | "";

/** On-chain payouts, and what blocks them. */
export function PayoutsTab() {
  const parley = useParley();
  const { admin: texts } = useWindowTexts();
  const [shown, setShown] = useState<Shown>("");
  const [halted, setHalted] = useState<PayoutsResponse["halted"]>(null);
  const { admin } = parley.client;
  const load = useCallback(
    async (before: number | undefined) => {
      const filter = shown === "open" ? { open: true } : shown === "" ? {} : { state: shown };
      const answer = await admin.payouts({ ...filter, before });
      setHalted(answer.halted);
      return { items: answer.payouts, next: answer.next_before };
    },
    [admin, shown],
  );
  const list = useList<PayoutRecord>(load);
  return (
    <>
      {halted !== null && <p className="warning">{texts.haltedBy[halted]}</p>}
      <Select
        label={texts.show}
        choices={{ "": texts.all, open: texts.openPayouts, ...texts.payoutStates }}
        value={shown}
        onChange={(event) => setShown(event.target.value as Shown)}
      />
      <ul className="cards" aria-label={texts.payouts}>
        {list.items?.map((payout) => (
          <PayoutCard
            key={payout.payout_id}
            payout={payout}
            onChanged={(changed) => list.replace(({ payout_id }) => payout_id === changed.payout_id, changed)}
          />
        ))}
      </ul>
      <ListEnd list={list} none={texts.noPayouts} />
    </>
  );
}

function PayoutCard({ payout, onChanged }: { payout: PayoutRecord; onChanged(payout: PayoutRecord): void }) {
  const parley = useParley();
  const windowTexts = useWindowTexts();
  const { admin: texts, money } = windowTexts;
  const chains = useChains() ?? [];
  const action = useAction();
  const { state, hold, purpose, key } = payout;
  const holds: Readonly<Record<string, string>> = texts.holds;
  const retry = () =>
    action.run(async () => onChanged((await parley.client.admin.retryPayout(payout.payout_id)).payout));
  return (
    <li className="card">
      <p className="split-row">
        <strong>{purpose === "gap" ? texts.purposes.gap : priceText(windowTexts, payout, chains)}</strong>
        <span className={`state ${state}`}>{texts.payoutStates[state]}</span>
      </p>
      {hold !== null && state !== "settled" && <p className="danger-text">{holds[hold] ?? hold}</p>}
      <p className="hint">
        {[
          money.on(texts.purposes[purpose], chainName(windowTexts, payout.chain_id)),
          key,
          momentOf(payout.updated_at),
        ].join(" · ")}
      </p>
      <p className="muted details">→ {payout.recipient}</p>
      {payout.tx_hash !== null && <p className="muted details">{payout.tx_hash}</p>}
      {state === "failed" && (
        <div className="row">
          <button
            type="button"
            className="secondary"
            disabled={action.isBusy}
            aria-label={`${texts.again}: ${key}`}
            onClick={() => void retry()}
          >
            {texts.again}
          </button>
        </div>
      )}
      <ErrorLine text={action.error} />
    </li>
  );
}
