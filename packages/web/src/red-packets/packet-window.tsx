import type { RedPacket, RedPacketClaim } from "@parley/protocol/red-packets";
import { momentOf } from "../i18n/date-format.ts";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import type { PacketView } from "../model/red-packets.ts";
import { Name } from "../people/avatar.tsx";
import { CopyField } from "../session/copy-field.tsx";
import { useParley } from "../session/parley-context.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Section } from "../ui/section.tsx";
import { ErrorLine } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";
import { amountOf } from "./amounts.ts";
import { Funding } from "./funding.tsx";
import { bestRank } from "./packet-states.ts";
import { SplitCheck } from "./split-check.tsx";
import { usePacket } from "./use-packet.ts";

interface Props {
  self: string | null;
  packetId: number;
  onClose(): void;
}

/** The details of a red packet: all claims, and whether the split was fair. */
export function PacketWindow({ self, packetId, onClose }: Props) {
  const { app } = useTexts();
  const { packets: texts } = useWindowTexts();
  const view = usePacket(packetId);
  return (
    <Dialog title={view === null ? texts.name : texts.from(view.red_packet.sender_username)} onClose={onClose}>
      {view === null ? <p className="hint">{app.loading}</p> : <Outcome view={view} self={self} />}
    </Dialog>
  );
}

function Outcome({ view, self }: { view: NonNullable<PacketView>; self: string | null }) {
  const windowTexts = useWindowTexts();
  const { packets: texts } = windowTexts;
  const { red_packet: packet, claims } = view;
  const isSender = packet.sender_username === self;
  return (
    <>
      {packet.greeting !== "" && <p dir="auto">{packet.greeting}</p>}
      <PacketStatus packet={packet} />
      {packet.refund !== null && (
        <p className="hint">
          {texts.back(amountOf(windowTexts, packet.refund.amount, packet), packet.sender_username)}
          {packet.chain !== "ledger" && ` · ${texts.paid[packet.refund.status]}`}
        </p>
      )}
      {packet.status === "pending_funding" && isSender && <Funding packet={packet} deposit={view.deposit ?? null} />}
      <Section title={texts.shares}>
        <Shares view={view} />
      </Section>
      {packet.my_claim !== null && packet.chain !== "ledger" && (
        <Section title={texts.yours}>
          <OwnShare claim={packet.my_claim} packet={packet} />
        </Section>
      )}
      <Section title={texts.verify}>
        <SplitCheck view={view} />
      </Section>
      {isSender && claims.length === 0 && packet.closed_at === null && <Cancel packet={packet} />}
    </>
  );
}

function PacketStatus({ packet }: { packet: RedPacket }) {
  const windowTexts = useWindowTexts();
  const { packets: texts } = windowTexts;
  const isClosed = packet.close_reason !== null;
  return (
    <div className="packet-status">
      <p>
        <strong>
          {packet.close_reason === null ? texts.statuses[packet.status] : texts.reasons[packet.close_reason]}
        </strong>
        {!isClosed && <span className="muted"> · {texts.until(momentOf(packet.expires_at))}</span>}
      </p>
      <progress
        className="quota"
        aria-label={texts.left(packet.remaining_count, packet.count)}
        max={packet.count}
        value={packet.count - packet.remaining_count}
      />
      <p className="hint">
        {[
          `${texts.total}: ${amountOf(windowTexts, packet.total_amount, packet)}`,
          texts.splits[packet.split_type],
          texts.left(packet.remaining_count, packet.count),
          ...(isClosed ? [] : [texts.leftAmount(amountOf(windowTexts, packet.remaining_amount, packet))]),
        ].join(" · ")}
      </p>
    </div>
  );
}

function Shares({ view: { red_packet: packet, claims } }: { view: NonNullable<PacketView> }) {
  const windowTexts = useWindowTexts();
  const { packets: texts } = windowTexts;
  const best = bestRank(packet, claims);
  if (claims.length === 0) return <p className="hint">{texts.nobody}</p>;
  return (
    <ol className="lines">
      {claims.map((claim) => (
        <li key={claim.rank}>
          <span>
            <Name name={claim.username} />
            {claim.rank === best && <span className="luck">{texts.best}</span>}
            <time className="muted" dateTime={claim.claimed_at}>
              {momentOf(claim.claimed_at)}
            </time>
          </span>
          <span className="amount">
            <strong>{amountOf(windowTexts, claim.amount, packet)}</strong>
            {packet.chain !== "ledger" && <span className="muted">{texts.paid[claim.payout.status]}</span>}
          </span>
        </li>
      ))}
    </ol>
  );
}

/** The user's own on-chain share: its destination and transaction. */
function OwnShare({ claim, packet }: { claim: RedPacketClaim; packet: RedPacket }) {
  const windowTexts = useWindowTexts();
  const { packets: texts } = windowTexts;
  const { status, tx_hash } = claim.payout;
  return (
    <>
      <p role="status">
        <strong>{amountOf(windowTexts, claim.amount, packet)}</strong> ·{" "}
        {status === "pending" && tx_hash === null ? texts.queued : texts.paid[status]}
      </p>
      {status === "failed" && <p className="hint">{texts.failedHint}</p>}
      {claim.address !== null && <CopyField label={texts.paidTo} value={claim.address} />}
      {tx_hash !== null && <CopyField label={windowTexts.money.transfer.hash} value={tx_hash} />}
    </>
  );
}

function Cancel({ packet }: { packet: RedPacket }) {
  const parley = useParley();
  const { packets: texts } = useWindowTexts();
  const action = useAction();
  const cancel = async () => {
    const question = { title: texts.name, text: texts.cancelSure, action: texts.cancel };
    if (await parley.confirm.ask(question)) await action.run(() => parley.redPackets.cancel(packet.packet_id));
  };
  return (
    <>
      <ErrorLine text={action.error} />
      <button type="button" className="secondary danger" disabled={action.isBusy} onClick={() => void cancel()}>
        {texts.cancel}
      </button>
    </>
  );
}
