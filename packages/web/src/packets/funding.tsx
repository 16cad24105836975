import type { RedPacket } from "@parley/protocol/red-packets";
import { type FormEvent, useState } from "react";
import { CopyField } from "../app/copy-field.tsx";
import { Field } from "../app/field.tsx";
import { useParley } from "../app/parley-context.ts";
import { Section } from "../app/section.tsx";
import { useAct } from "../app/use-act.ts";
import { useWindowTexts } from "../texts/window-texts.ts";
import { evmWallet, payDeposit, walletError } from "../wallets/evm-wallet.ts";
import { amountOf } from "./amounts.ts";

/** How a packet on a chain gets its value: by the wallet in this browser, or by a transaction that is named. */
export function Funding({ packet }: { packet: RedPacket }) {
  const parley = useParley();
  const windowTexts = useWindowTexts();
  const { packets: texts } = windowTexts;
  const act = useAct();
  const [hash, setHash] = useState(packet.funding.tx_hash ?? "");
  const deposit = parley.packets.deposit(packet.packet_id);
  const wallet = packet.chain === "evm" ? evmWallet() : null;
  const name = (txHash: string) => parley.packets.fund(packet.packet_id, txHash);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void act.run(() => name(hash.trim()));
  };
  const pay = () =>
    act.run(async () => {
      if (wallet === null || deposit === null) return;
      const paid = await payDeposit(wallet, deposit, packet.token_address).catch((error: unknown) => {
        throw walletError(error);
      });
      // It stands in the field from here on: should naming it fail, it is not lost.
      setHash(paid);
      await name(paid);
    });
  const { status, problem } = packet.funding;
  return (
    <Section title={texts.deposit}>
      <p role="status">{problem === null ? texts.funding[status] : texts.problem(problem)}</p>
      {deposit === null ? (
        <p className="hint">{texts.depositLost}</p>
      ) : (
        <>
          <p className="hint">{texts.depositHint}</p>
          <CopyField label={texts.address} value={deposit.address} />
          <CopyField
            label={texts.exactly}
            value={deposit.amount}
            hint={amountOf(windowTexts, deposit.amount, packet)}
          />
          <CopyField label={texts.reference} value={deposit.reference} />
          {wallet !== null && (
            <button type="button" className="red" disabled={act.isBusy} onClick={() => void pay()}>
              {texts.wallet}
            </button>
          )}
        </>
      )}
      <form className="stack" onSubmit={submit}>
        <Field
          label={texts.hash}
          name="hash"
          value={hash}
          onChange={(event) => setHash(event.target.value)}
          maxLength={128}
          autoComplete="off"
          spellCheck={false}
          required
        />
        <p className="error" role="alert">
          {act.error}
        </p>
        <button type="submit" className="quiet" disabled={act.isBusy}>
          {texts.fund}
        </button>
      </form>
    </Section>
  );
}
