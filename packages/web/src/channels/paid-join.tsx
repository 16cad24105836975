import type { Channel } from "@parley/protocol/models";
import type { Price } from "@parley/protocol/price";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import { useParley, useSelf } from "../session/parley-context.ts";
import { useValue } from "../session/use-site.ts";
import { Field } from "../ui/field.tsx";
import { ErrorLine } from "../ui/submit.tsx";
import { useChains } from "../wallets/use-chains.ts";
import { chainName, priceText } from "../wallets/wallet-texts.ts";
import { ManualPayment, PaymentStatus } from "./payment-steps.tsx";
import { useJoinPayment } from "./use-join-payment.ts";

/** A channel with a price, of which only the name is visible before payment. */
export function PaidJoin({ channel, price }: { channel: Channel; price: Price }) {
  const parley = useParley();
  const self = useSelf();
  const { channels: texts, account, app } = useTexts();
  const windowTexts = useWindowTexts();
  const { place } = windowTexts.money;
  const chains = useChains();
  const takesPayments = useValue() !== false;
  if (chains === null) return <p className="join hint">{app.loading}</p>;
  if (!takesPayments) {
    return (
      <section className="join stack" aria-labelledby="join-title">
        <h3 id="join-title">
          <bdi>{texts.joinTitle(channel.name)}</bdi>
        </h3>
        <p>{place.closed}</p>
      </section>
    );
  }
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
          <button type="button" onClick={() => parley.loginDialog.set("login")}>
            {account.logIn}
          </button>
        </>
      ) : (
        <Paying key={self} self={self} channel={channel} price={price} />
      )}
    </section>
  );
}

function Paying({ self, channel, price }: { self: string; channel: Channel; price: Price }) {
  const { channels: texts } = useTexts();
  const { place } = useWindowTexts().money;
  const { payment, progress, wallet, priceShown, password, error, isBusy, pay, prove } = useJoinPayment(
    self,
    channel,
    price,
  );
  const isWaiting = progress.step === "checking";
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
      <ErrorLine text={error} />
      {(progress.step === "price" || (progress.step === "asked" && wallet !== null)) && (
        <WaysToPay
          wallet={wallet === null ? null : place.wallet(priceShown)}
          byHand={progress.step === "price" ? place.byHand : null}
          isBusy={isBusy}
          onWallet={() => void pay(wallet)}
          onByHand={() => void pay(null)}
        />
      )}
      {progress.step === "asked" && (
        <ManualPayment
          demand={progress.demand}
          label={channel.name}
          isBusy={isBusy}
          onHash={(hash) => void prove(hash)}
          onForget={() => payment.forget()}
        />
      )}
      {(progress.step === "paid" || progress.step === "checking" || progress.step === "refused") && (
        <PaymentStatus
          progress={progress}
          isBusy={isBusy}
          onProve={() => void prove()}
          onAnother={() => payment.startAnew()}
        />
      )}
    </>
  );
}

/** The buttons that start a payment, with their labels; null: not offered. If there is only one, Enter presses it. */
function WaysToPay(props: {
  wallet: string | null;
  byHand: string | null;
  isBusy: boolean;
  onWallet: () => void;
  onByHand: () => void;
}) {
  const { wallet, byHand, isBusy } = props;
  const isFirst = wallet === null;
  return (
    <form
      className="row"
      onSubmit={(event) => {
        event.preventDefault();
        if (isFirst) props.onByHand();
        else props.onWallet();
      }}
    >
      {wallet !== null && (
        <button type="submit" disabled={isBusy}>
          {wallet}
        </button>
      )}
      {byHand !== null && (
        <button
          type={isFirst ? "submit" : "button"}
          className={isFirst ? undefined : "secondary"}
          disabled={isBusy}
          onClick={isFirst ? undefined : props.onByHand}
        >
          {byHand}
        </button>
      )}
    </form>
  );
}
