import { useState } from "react";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import type { PacketView } from "../model/red-packets.ts";
import { amountOf } from "./amounts.ts";
import { type Verdict, verdictOf } from "./fairness.ts";

/** Recomputes the split in the browser, from public data. */
export function SplitCheck({ view }: { view: NonNullable<PacketView> }) {
  const windowTexts = useWindowTexts();
  const { packets: texts } = windowTexts;
  const [verdict, setVerdict] = useState<Verdict | null>(null);
  const { red_packet: packet } = view;
  const { commitment, seed } = packet.fairness;
  return (
    <>
      <p className="hint">{seed === null ? texts.verifyLater : texts.verifyHint}</p>
      <dl className="facts">
        <dt>{texts.commitment}</dt>
        <dd>{commitment}</dd>
        {seed !== null && (
          <>
            <dt>{texts.seed}</dt>
            <dd>{seed}</dd>
          </>
        )}
      </dl>
      {seed !== null && (
        <button type="button" className="secondary" onClick={() => setVerdict(verdictOf(view))}>
          {texts.verify}
        </button>
      )}
      <div role="status">
        {verdict !== null && (
          <p className={verdict.isFair ? "verdict success" : "verdict failure"}>
            {verdict.isFair ? texts.fair : texts.unfair[verdict.problem]}
          </p>
        )}
      </div>
      {verdict?.isFair && (
        <ol className="worked-out">
          {verdict.shares.map((share, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the index identifies the share
            <li key={at}>
              {texts.rank(at + 1)}: <strong>{amountOf(windowTexts, String(share), packet)}</strong>
            </li>
          ))}
        </ol>
      )}
    </>
  );
}
