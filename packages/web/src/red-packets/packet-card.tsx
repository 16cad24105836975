import { ParleyError } from "@parley/sdk";
import { useState } from "react";
import { errorDetail } from "../i18n/error-message.ts";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { useParley, useSelf } from "../session/parley-context.ts";
import { useValue } from "../session/use-site.ts";
import { amountOf } from "./amounts.ts";
import { stateOf } from "./packet-states.ts";
import { usePacket } from "./use-packet.ts";

interface Props {
  packetId: number;
  greeting: string;
}

/** A red packet in the conversation. On a server that has none any more, only what its sender wished is left of it. */
export function PacketCard(props: Props) {
  const { packets: texts } = useWindowTexts();
  if (useValue() !== false) return <LivePacket {...props} />;
  return (
    <div className="stack">
      {props.greeting !== "" && <p dir="auto">{props.greeting}</p>}
      <p className="hint">{texts.gone}</p>
    </div>
  );
}

/** A red packet with the button that opens it. */
function LivePacket({ packetId, greeting }: Props) {
  const parley = useParley();
  const self = useSelf();
  const windowTexts = useWindowTexts();
  const { packets: texts } = windowTexts;
  const view = usePacket(packetId);
  const [isOpening, setOpening] = useState(false);
  const [isJustOpened, setJustOpened] = useState(false);
  const packet = view?.red_packet;
  const state = packet === undefined ? "unknown" : stateOf(packet);
  const open = async () => {
    setOpening(true);
    try {
      await parley.redPackets.claim(packetId);
      setJustOpened(true);
    } catch (error) {
      const isAddressMissing = error instanceof ParleyError && error.code === "wallet_address_required";
      if (isAddressMissing && errorDetail(error, "reason") !== "no_token_account") {
        parley.notices.say(texts.needsAddress, "error");
        // The profile is where users prove their address.
        parley.openDialog.set({ window: "profile", tab: "wallets" });
        return;
      }
      parley.showError(error);
      await parley.redPackets.read(packetId).catch((problem: unknown) => parley.showError(problem));
    } finally {
      setOpening(false);
    }
  };
  return (
    <section className="packet" data-state={state} data-just={isJustOpened ? "" : undefined} aria-label={texts.name}>
      <span className="packet-flap" aria-hidden="true" />
      <p className="greeting" dir="auto">
        {greeting === "" ? texts.wish : greeting}
      </p>
      <div className="middle">
        <p className="outcome" role="status">
          {packet?.my_claim && <strong>{texts.got(amountOf(windowTexts, packet.my_claim.amount, packet))}</strong>}
          {packet?.my_claim && packet.chain !== "ledger" && (
            <span className="payout">{texts.paid[packet.my_claim.payout.status]}</span>
          )}
        </p>
        {packet && state === "shut" && self !== null && (
          <button
            type="button"
            className="seal"
            aria-label={texts.openOf(packet.sender_username)}
            disabled={isOpening}
            data-busy={isOpening ? "" : undefined}
            onClick={() => void open()}
          >
            {isOpening ? "…" : texts.open}
          </button>
        )}
        {state === "shut" && self === null && (
          <button type="button" className="on-red" onClick={() => parley.loginDialog.set("login")}>
            {texts.logIn}
          </button>
        )}
        {packet && (state === "over" || state === "unfunded") && (
          <strong>
            {packet.close_reason === null ? texts.statuses[packet.status] : texts.reasons[packet.close_reason]}
          </strong>
        )}
      </div>
      <footer>
        <span>{packet && texts.left(packet.remaining_count, packet.count)}</span>
        <button
          type="button"
          className="on-red"
          disabled={packet === undefined}
          onClick={() => parley.openDialog.set({ window: "packet", packetId })}
        >
          {texts.details}
        </button>
      </footer>
    </section>
  );
}
