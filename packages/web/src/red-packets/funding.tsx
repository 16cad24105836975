import type { Deposit, RedPacket } from "@parley/protocol/red-packets";
import { useState } from "react";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { Section } from "../ui/section.tsx";
import { ErrorLine } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";
import { evmWallet, makeTransfer } from "../wallets/evm-wallet.ts";
import { HashForm, type ManualTransfer, TransferDetails } from "../wallets/manual-transfer.tsx";
import { explainWalletError } from "../wallets/wallet-texts.ts";
import { amountOf } from "./amounts.ts";
import { explainPacketError, problemText } from "./packet-errors.ts";

/** Funds an on-chain packet: with this browser's wallet, or by the hash of a transaction. */
export function Funding({ packet, deposit }: { packet: RedPacket; deposit: Deposit | null }) {
  const parley = useParley();
  const windowTexts = useWindowTexts();
  const { packets: texts } = windowTexts;
  const action = useAction();
  const [isByHand, setByHand] = useState(false);
  const wallet = packet.chain === "evm" ? evmWallet() : null;
  const { status, problem, tx_hash } = packet.funding;
  const known = parley.redPackets.storedFundingTx(packet.packet_id) ?? tx_hash;
  const name = (txHash: string) =>
    parley.redPackets
      .fund(packet.packet_id, txHash)
      .catch((error: unknown) =>
        Promise.reject(explainPacketError(windowTexts, error, (amount) => amountOf(windowTexts, amount, packet))),
      );
  const pay = () =>
    action.run(async () => {
      if (wallet === null || deposit === null) return;
      const { address: to, amount, chain_id: chainId, reference } = deposit;
      const transfer = { to, amount, chainId, reference, tokenAddress: packet.token_address };
      const hash = await makeTransfer(wallet, transfer).catch((error: unknown) =>
        Promise.reject(explainWalletError(windowTexts, error)),
      );
      // Store the hash first, so that it survives a failed request or closing the page.
      parley.redPackets.storeFundingTx(packet.packet_id, hash);
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
          <button type="button" className="red" disabled={action.isBusy} onClick={() => void pay()}>
            {texts.wallet(amountOf(windowTexts, deposit.amount, packet))}
          </button>
          {!isByHand && (
            <button type="button" className="secondary" onClick={() => setByHand(true)}>
              {texts.byHand}
            </button>
          )}
        </div>
      )}
      {showsHand && (
        <>
          <p className="hint">{texts.depositHint}</p>
          <TransferDetails transfer={transferOf(packet, deposit)} label={texts.name} />
        </>
      )}
      {showsHand || known !== null || deposit === null ? (
        <HashForm
          key={known}
          chain={packet.chain === "solana" ? "solana" : "evm"}
          action={texts.fund}
          known={known ?? ""}
          error={action.error}
          isBusy={action.isBusy}
          onHash={(hash) => void action.run(() => name(hash))}
        />
      ) : (
        <ErrorLine text={action.error} />
      )}
    </Section>
  );
}

const transferOf = (packet: RedPacket, deposit: Deposit): ManualTransfer => ({
  chain: packet.chain === "solana" ? "solana" : "evm",
  chainId: deposit.chain_id,
  to: deposit.address,
  amount: deposit.amount,
  currency: packet.currency,
  decimals: packet.decimals,
  tokenAddress: packet.token_address,
  reference: deposit.reference,
});
