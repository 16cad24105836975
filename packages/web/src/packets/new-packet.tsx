import { GREETING_MAX, PACKET_COUNT_MAX } from "@parley/protocol/limits";
import type { ChannelRecord } from "@parley/protocol/records";
import type { PacketChain, SplitType } from "@parley/protocol/red-packets";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { Dialog } from "../app/dialog.tsx";
import { Field } from "../app/field.tsx";
import { useParley } from "../app/parley-context.ts";
import { Select } from "../app/select.tsx";
import { useAct } from "../app/use-act.ts";
import { useWindowTexts } from "../texts/window-texts.ts";

interface Props {
  self: string;
  channel: ChannelRecord;
  onClose(): void;
}

/** Makes a red packet for a channel. */
export function NewPacket({ self, channel, onClose }: Props) {
  const parley = useParley();
  const { packets: texts } = useWindowTexts();
  const act = useAct();
  const [chain, setChain] = useState<PacketChain>("ledger");
  const points = usePoints(self);
  const key = useRef(newKey());
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    await act.run(async () => {
      const { packet_id, deposit } = await parley.client.packets.create(
        { channel_id: channel.id, ...bodyOf(form) },
        key.current,
      );
      onClose();
      if (deposit === undefined) return;
      parley.packets.keepDeposit(packet_id, deposit);
      parley.opened.set({ window: "packet", packetId: packet_id });
    });
  };
  const isPoints = chain === "ledger";
  return (
    <Dialog title={texts.title} onClose={onClose}>
      {/* What was changed is another packet; what is only sent again is the same. */}
      <form className="stack" onSubmit={submit} onChange={() => (key.current = newKey())}>
        <Select
          label={texts.kind}
          name="chain"
          choices={texts.kinds}
          value={chain}
          onChange={(event) => setChain(event.target.value as PacketChain)}
        />
        {!isPoints && (
          <div className="pair">
            <Field label={texts.currency} name="currency" maxLength={64} autoComplete="off" required />
            <Field label={texts.chainId} name="chain_id" inputMode="numeric" pattern="[0-9]{1,15}" autoComplete="off" />
          </div>
        )}
        <div className="pair">
          <Field
            label={texts.amount}
            name="amount"
            inputMode="numeric"
            pattern="[1-9][0-9]{0,77}"
            autoComplete="off"
            required
            {...hintOf(isPoints ? points && texts.amountHint(points) : texts.smallest)}
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
        <Select label={texts.split} name="split" choices={texts.splits} defaultValue="random" />
        <Field
          label={texts.greeting}
          name="greeting"
          placeholder={texts.wish}
          maxLength={GREETING_MAX}
          autoComplete="off"
        />
        <p className="error" role="alert">
          {act.error}
        </p>
        <button type="submit" className="red" disabled={act.isBusy}>
          {texts.send}
        </button>
      </form>
    </Dialog>
  );
}

const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

const hintOf = (hint: string | 0 | null): { hint?: string } => (hint ? { hint } : {});

function bodyOf(form: FormData) {
  const filled = (name: string) => String(form.get(name) ?? "").trim();
  const chainId = filled("chain_id");
  return {
    chain: filled("chain") as PacketChain,
    chain_id: chainId === "" ? null : Number(chainId),
    currency: filled("currency") || null,
    total_amount: filled("amount"),
    count: Number(filled("count")),
    split_type: filled("split") as SplitType,
    greeting: filled("greeting") || null,
  };
}

/** What one has to spend; null until it is known. */
function usePoints(self: string): number | null {
  const parley = useParley();
  const [points, setPoints] = useState<number | null>(null);
  useEffect(() => {
    parley.client.accounts.user(self).then(
      (user) => setPoints(user.points),
      () => setPoints(null),
    );
  }, [parley, self]);
  return points;
}
