import { GREETING_MAX, PACKET_COUNT_MAX, PACKET_SECONDS_DEFAULT } from "@parley/protocol/limits";
import type { Channel } from "@parley/protocol/models";
import type { PointsResponse } from "@parley/protocol/points";
import type { CreatePacketBody, SplitType } from "@parley/protocol/red-packets";
import { type FormEvent, useRef, useState } from "react";
import { usePoints } from "../account/use-points.ts";
import { momentOf } from "../i18n/date-format.ts";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import type { WindowTexts } from "../i18n/texts.ts";
import { type Coin, coinsFor, keyOf } from "../model/chains.ts";
import { useParley } from "../session/parley-context.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Field } from "../ui/field.tsx";
import { Select } from "../ui/select.tsx";
import { Submit } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";
import { AmountField } from "../wallets/amount-field.tsx";
import { formatUnits } from "../wallets/units.ts";
import { useChains } from "../wallets/use-chains.ts";
import { chainName } from "../wallets/wallet-texts.ts";
import { explainPacketError } from "./packet-errors.ts";

interface Props {
  self: string;
  channel: Channel;
  onClose(): void;
}

const POINTS = "points";

/** Creates a red packet for a channel. */
export function NewPacket({ self, channel, onClose }: Props) {
  const parley = useParley();
  const windowTexts = useWindowTexts();
  const { packets: texts } = windowTexts;
  const action = useAction();
  const coins = coinsFor(useChains(), "packets");
  const [kind, setKind] = useState(POINTS);
  const [amount, setAmount] = useState<string | null>(null);
  const points = usePoints(self);
  const key = useRef(newKey());
  const coin = coins.find((each) => keyOf(each) === kind);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (amount === null) return;
    const body = {
      channel_id: channel.id,
      total_amount: amount,
      ...termsIn(new FormData(event.currentTarget)),
      ...assetOf(coin),
    };
    await action.run(async () => {
      const { packet_id, deposit } = await parley.client.packets
        .create(body, { idempotencyKey: key.current })
        .catch((error: unknown) =>
          Promise.reject(explainPacketError(windowTexts, error, (smallest) => written(smallest, coin))),
        );
      onClose();
      // Whoever is reading further up sees what was sent, as after a message.
      parley.channelSession(channel.id).scrollTo(null);
      if (deposit !== undefined) parley.openDialog.set({ window: "packet", packetId: packet_id });
    });
  };
  const hint = coin === undefined && points !== null ? spendable(windowTexts, points) : undefined;
  return (
    <Dialog title={texts.title} onClose={onClose}>
      {/* A changed form is a new packet and needs a new idempotency key; resending the same form does not. */}
      <form className="stack" onSubmit={submit} onChange={() => (key.current = newKey())}>
        {coins.length > 0 && (
          <Select
            label={texts.kind}
            choices={kindsIn(windowTexts, coins)}
            value={kind}
            onChange={(event) => {
              setKind(event.target.value);
              setAmount(null);
            }}
          />
        )}
        <div className="pair">
          <AmountField
            key={kind}
            label={texts.amount}
            decimals={coin?.decimals ?? 0}
            unit={coin?.currency ?? texts.kindPoints}
            onAmount={setAmount}
            {...(hint === undefined ? {} : { hint })}
          />
          <Field
            label={texts.count}
            name="count"
            type="number"
            min={1}
            max={PACKET_COUNT_MAX}
            defaultValue={5}
            required
          />
        </div>
        <Terms />
        {coin !== undefined && <p className="hint">{texts.onChain}</p>}
        <Submit action={action} className="red">
          {texts.send}
        </Submit>
      </form>
    </Dialog>
  );
}

/** The fields for split, duration and greeting; `termsIn` reads them from the form. */
function Terms() {
  const { packets: texts } = useWindowTexts();
  return (
    <>
      <div className="pair">
        <Select label={texts.split} name="split" choices={texts.splits} defaultValue="random" />
        <Select
          label={texts.lasts}
          name="expires"
          choices={texts.terms}
          defaultValue={String(PACKET_SECONDS_DEFAULT)}
        />
      </div>
      <Field
        label={texts.greeting}
        name="greeting"
        placeholder={texts.wish}
        maxLength={GREETING_MAX}
        autoComplete="off"
      />
    </>
  );
}

/** Returns what can be given: points, and the coins of the server's chains. */
function kindsIn(texts: WindowTexts, coins: readonly Coin[]): Record<string, string> {
  const kinds: Record<string, string> = { [POINTS]: texts.packets.kindPoints };
  for (const each of coins) kinds[keyOf(each)] = texts.money.on(each.currency, chainName(texts, each.chain_id));
  return kinds;
}

const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

const written = (smallest: string, coin: Coin | undefined): string =>
  coin === undefined ? smallest : `${formatUnits(smallest, coin.decimals)} ${coin.currency}`;

const assetOf = (coin: Coin | undefined): Partial<CreatePacketBody> =>
  coin === undefined ? {} : { chain: coin.chain, chain_id: coin.chain_id, currency: coin.currency };

function termsIn(form: FormData) {
  const filled = (name: string) => String(form.get(name) ?? "").trim();
  return {
    count: Number(filled("count")),
    split_type: filled("split") as SplitType,
    greeting: filled("greeting") || null,
    expires_in: Number(filled("expires")),
  };
}

/** Describes the points the user can spend now, and when those on hold become available. */
function spendable(
  { packets: texts }: WindowTexts,
  { points, available, on_hold_until: until }: PointsResponse,
): string {
  return until === null ? texts.amountHint(points) : texts.amountOnHold(available, points, momentOf(until));
}
