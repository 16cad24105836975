import type { Channel } from "@parley/protocol/models";
import type { Price } from "@parley/protocol/price";
import { useEffect, useMemo, useRef, useState } from "react";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { useStore } from "../state/store.ts";
import { useAction } from "../ui/use-action.ts";
import { type EvmWallet, evmWallet, makeTransfer } from "../wallets/evm-wallet.ts";
import { useChains } from "../wallets/use-chains.ts";
import { explainWalletError, priceText } from "../wallets/wallet-texts.ts";
import { isAsShown, JoinPayment, priceOf } from "./join-payment.ts";

/** Returns the state of the payment and the actions available. */
export function useJoinPayment(self: string, channel: Channel, price: Price) {
  const parley = useParley();
  const texts = useWindowTexts();
  const { place } = texts.money;
  const chains = useChains() ?? [];
  const action = useAction();
  const [notice, setNotice] = useState<string | null>(null);
  const password = useRef<string | undefined>(undefined);
  const payment = usePayment(self, channel, () => parley.notices.say(place.joined(channel.name)));
  const progress = useStore(payment.progress);
  // Submits a payment made before the page was closed at once, unless the channel also requires a password.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, for a stored payment
  useEffect(() => {
    if (progress.step === "paid" && !channel.has_password) void action.run(() => payment.prove());
    return () => payment.end();
  }, [payment]);

  const priceAsked = progress.step === "asked" ? priceOf(progress.demand) : price;
  /** Requests the demand and pays it if a wallet is given, unless the price differs from the one shown. */
  const pay = (wallet: EvmWallet | null) =>
    action.run(async () => {
      setNotice(null);
      const demand = await payment.ask(password.current);
      if (demand === null || wallet === null) return;
      if (!isAsShown(demand, priceAsked)) {
        setNotice(place.changed(priceText(texts, priceOf(demand), chains)));
        return;
      }
      const { recipient: to, chainId, tokenAddress, paymentId: reference } = demand;
      // The reference in the transaction identifies the payer, so the bare price is enough.
      const { amount } = priceOf(demand);
      const hash = await makeTransfer(wallet, { to, amount, chainId, tokenAddress, reference }).catch(
        (error: unknown) => Promise.reject(explainWalletError(texts, error)),
      );
      payment.paid(hash);
      await payment.prove(password.current);
    });
  /** Submits the transaction that paid: the given one, or the stored one. */
  const prove = (hash?: string) =>
    action.run(async () => {
      if (hash !== undefined) payment.paid(hash);
      await payment.prove(password.current);
    });
  const isOnEvm = chains.find(({ chain_id }) => chain_id === price.chain_id)?.chain === "evm";
  return {
    payment,
    progress,
    wallet: isOnEvm ? evmWallet() : null,
    priceShown: priceText(texts, priceAsked, chains),
    password,
    error: action.error ?? notice,
    isBusy: action.isBusy,
    pay,
    prove,
  };
}

/** Returns one `JoinPayment` per user and channel, for as long as the page shows it. */
function usePayment(self: string, channel: Channel, onJoined: () => void): JoinPayment {
  const parley = useParley();
  // biome-ignore lint/correctness/useExhaustiveDependencies: depends on the channel only, not on the rest of its record
  return useMemo(
    () =>
      new JoinPayment(parley.client, self, channel.id, (joined) => {
        parley.channels.put(joined);
        onJoined();
      }),
    [parley, self, channel.id],
  );
}
