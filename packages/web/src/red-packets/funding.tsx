import type { Deposit, RedPacket } from "@parley/protocol/red-packets";
import { useState } from "react";
import { useWindowTexts } from "../i18n/window-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { Section } from "../ui/section.tsx";
import { ErrorLine } from "../ui/submit.tsx";
import { useAct } from "../ui/use-action.ts";
import { evmWallet, makeTransfer } from "../wallets/evm-wallet.ts";
import { type HandTransfer, HashForm, TransferFacts } from "../wallets/manual-transfer.tsx";
import { walletTold } from "../wallets/wallet-texts.ts";
import { amountOf } from "./amounts.ts";
import { packetTold, problemText } from "./packet-errors.ts";

/** Funds an on-chain packet: with this browser's wallet, or by the hash of a transaction. */
export function Funding({ packet, deposit }: { packet: RedPacket; deposit: Deposit | null }) {
  const parley = useParley();
  const windowTexts = useWindowTexts();
  const { packets: texts } = windowTexts;
  const act = useAct();
  const [isByHand, setByHand] = useState(false);
  const wallet = packet.chain === "evm" ? evmWallet() : null;
  const { status, problem, tx_hash } = packet.funding;
  const known = parley.packets.paidWith(packet.packet_id) ?? tx_hash;
  const name = (txHash: string) =>
    parley.packets
      .fund(packet.packet_id, txHash)
      .catch((error: unknown) =>
        Promise.reject(packetTold(windowTexts, error, (amount) => amountOf(windowTexts, amount, packet))),
      );
  const pay = () =>
    act.run(async () => {
      if (wallet === null || deposit === null) return;
      const { address: to, amount, chain_id: chainId, reference } = deposit;
      const transfer = { to, amount, chainId, reference, tokenAddress: packet.token_address };
      const hash = await makeTransfer(wallet, transfer).catch((error: unknown) =>
        Promise.reject(walletTold(windowTexts, error)),
      );
      // Store the hash first, so that it survives a failed request or closing the page.
      parley.packets.keepPaid(packet.packet_id, hash);
      await name(hash);
    });
  const isSent = status === "pending";
  const offersWallet = wallet !== null && deposit !== null && !isSent;
  const showsHand = !isSent && deposit !== null && (isByHand || !offersWallet);
  return (
    <Section title={texts.deposit}>
      <p role="status" className={problem === null ? undefined : "error"}>
        {problem === null ? texts.funding[status] : problemText(windowTexts, problem)}
      </p>
      {offersWallet && (
        <div className="row">
          <button type="button" className="red" disabled={act.isBusy} onClick={() => void pay()}>
            {texts.wallet(amountOf(windowTexts, deposit.amount, packet))}
          </button>
          {!isByHand && (
            <button type="button" className="quiet" onClick={() => setByHand(true)}>
              {texts.byHand}
            </button>
          )}
        </div>
      )}
      {showsHand && (
        <>
          <p className="hint">{texts.depositHint}</p>
          <TransferFacts transfer={transferOf(packet, deposit)} label={texts.name} />
        </>
      )}
      {showsHand || known !== null || deposit === null ? (
        <HashForm
          key={known}
          chain={packet.chain === "solana" ? "solana" : "evm"}
          act={texts.fund}
          known={known ?? ""}
          error={act.error}
          isBusy={act.isBusy}
          onHash={(hash) => void act.run(() => name(hash))}
        />
      ) : (
        <ErrorLine text={act.error} />
      )}
    </Section>
  );
}

const transferOf = (packet: RedPacket, deposit: Deposit): HandTransfer => ({
  chain: packet.chain === "solana" ? "solana" : "evm",
  chainId: deposit.chain_id,
  to: deposit.address,
  amount: deposit.amount,
  currency: packet.currency,
  decimals: packet.decimals,
  tokenAddress: packet.token_address,
  reference: deposit.reference,
});
