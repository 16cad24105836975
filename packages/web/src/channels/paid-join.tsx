import type { ChannelRecord, Price } from "@parley/protocol/records";
import { type FormEvent, useEffect, useMemo, useRef, useState } from "react";
import { Field } from "../app/field.tsx";
import { useParley, useSelf, useTexts } from "../app/parley-context.ts";
import { useStore } from "../app/store.ts";
import { ErrorLine } from "../app/submit.tsx";
import { useAct } from "../app/use-act.ts";
import { useWindowTexts } from "../texts/window-texts.ts";
import { useChains } from "../wallets/chains.ts";
import { type EvmWallet, evmWallet, makeTransfer } from "../wallets/evm-wallet.ts";
import { chainName, priceText, walletTold } from "../wallets/words.ts";
import { PayByHand, Proving } from "./paid-steps.tsx";
import { isAsShown, PlacePayment } from "./place-payment.ts";

/** A channel with a price, of which only the name is to be seen until one has paid. */
export function PaidJoin({ channel, price }: { channel: ChannelRecord; price: Price }) {
  const parley = useParley();
  const self = useSelf();
  const { channels: texts, account, app } = useTexts();
  const windowTexts = useWindowTexts();
  const { place } = windowTexts.money;
  const chains = useChains();
  if (chains === null) return <p className="join hint">{app.loading}</p>;
  const where = chainName(windowTexts, price.chain_id);
  return (
    <section className="join stack" aria-labelledby="join-title">
      <h3 id="join-title">
        <bdi>{texts.joinTitle(channel.name)}</bdi>
      </h3>
      <p>
        <strong>{place.price(windowTexts.money.on(priceText(windowTexts, price, chains), where))}</strong>
      </p>
      {self === null ? (
        <>
          <p className="hint">{place.readable}</p>
          <button type="button" onClick={() => parley.entrance.set("login")}>
            {account.logIn}
          </button>
        </>
      ) : (
        <Paying key={self} self={self} channel={channel} price={price} />
      )}
    </section>
  );
}

function Paying({ self, channel, price }: { self: string; channel: ChannelRecord; price: Price }) {
  const parley = useParley();
  const { channels: texts } = useTexts();
  const windowTexts = useWindowTexts();
  const { place } = windowTexts.money;
  const chains = useChains() ?? [];
  const act = useAct();
  const [notice, setNotice] = useState<string | null>(null);
  const password = useRef<string | undefined>(undefined);
  const payment = usePayment(self, channel, () => parley.notices.say(place.joined(channel.name)));
  const progress = useStore(payment.progress);
  const isWaiting = progress.step === "checking";
  // What was paid before the page was closed is shown to the server at once, unless it wants a password besides.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, for what was kept
  useEffect(() => {
    if (progress.step === "paid" && !channel.has_password) void act.run(() => payment.prove());
    return () => payment.end();
  }, [payment]);

  const pay = (wallet: EvmWallet | null) =>
    act.run(async () => {
      setNotice(null);
      const demand = await payment.ask(password.current);
      if (demand === null || wallet === null) return;
      const shown = progress.step === "asked" ? priceOf(progress.demand) : price;
      if (!isAsShown(demand, shown)) {
        setNotice(place.changed(priceText(windowTexts, priceOf(demand), chains)));
        return;
      }
      const { recipient: to, amount, chainId, tokenAddress, paymentId: reference } = demand;
      const hash = await makeTransfer(wallet, { to, amount, chainId, tokenAddress, reference }).catch(
        (error: unknown) => Promise.reject(walletTold(windowTexts, error)),
      );
      payment.paid(hash);
      await payment.prove(password.current);
    });
  const name = (hash: string) =>
    act.run(async () => {
      payment.paid(hash);
      await payment.prove(password.current);
    });
  const isOnEvm = chains.find(({ chain_id }) => chain_id === price.chain_id)?.chain === "evm";
  const wallet = isOnEvm ? evmWallet() : null;
  const shownPrice = priceText(windowTexts, progress.step === "asked" ? priceOf(progress.demand) : price, chains);
  return (
    <>
      {channel.has_password && !isWaiting && (
        <Field
          label={texts.password}
          name="password"
          type="password"
          autoComplete="off"
          maxLength={128}
          hint={progress.step === "paid" ? place.passwordAgain : texts.joinPassword}
          onChange={(event) => {
            password.current = event.target.value === "" ? undefined : event.target.value;
          }}
        />
      )}
      <ErrorLine text={act.error ?? notice} />
      {(progress.step === "price" || (progress.step === "asked" && wallet !== null)) && (
        <form className="row" onSubmit={submitting(() => pay(wallet))}>
          {wallet !== null && (
            <button type="submit" disabled={act.isBusy}>
              {place.wallet(shownPrice)}
            </button>
          )}
          {progress.step === "price" && (
            <button
              type={wallet === null ? "submit" : "button"}
              className={wallet === null ? undefined : "quiet"}
              disabled={act.isBusy}
              onClick={wallet === null ? undefined : () => void pay(null)}
            >
              {place.byHand}
            </button>
          )}
        </form>
      )}
      {progress.step === "asked" && (
        <PayByHand
          demand={progress.demand}
          label={channel.name}
          isBusy={act.isBusy}
          onHash={(hash) => void name(hash)}
          onForget={() => payment.forget()}
        />
      )}
      {(progress.step === "paid" || progress.step === "checking" || progress.step === "refused") && (
        <Proving
          progress={progress}
          isBusy={act.isBusy}
          onProve={() => void act.run(() => payment.prove(password.current))}
          onAnother={() => payment.startAnew()}
        />
      )}
    </>
  );
}

const priceOf = (demand: { amount: string; currency: string; chainId: number }): Price => ({
  amount: demand.amount,
  currency: demand.currency,
  chain_id: demand.chainId,
});

const submitting = (act: () => unknown) => (event: FormEvent) => {
  event.preventDefault();
  act();
};

/** One's payment for a place there, as long as the page shows it. */
function usePayment(self: string, channel: ChannelRecord, onJoined: () => void): PlacePayment {
  const parley = useParley();
  // biome-ignore lint/correctness/useExhaustiveDependencies: for the channel, whatever of its record changes
  return useMemo(
    () =>
      new PlacePayment(parley.client, self, channel.id, (joined) => {
        parley.channels.put(joined);
        onJoined();
      }),
    [parley, self, channel.id],
  );
}
