import type { PaymentDemand } from "@parley/protocol/payments";
import { momentOf } from "../i18n/date-format.ts";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import { CopyField } from "../session/copy-field.tsx";
import { HashForm, TransferDetails } from "../wallets/manual-transfer.tsx";
import type { Progress } from "./join-payment.ts";

interface HandProps {
  demand: PaymentDemand;
  /** The purpose of the payment, as wallets show it. */
  label: string;
  isBusy: boolean;
  onHash(hash: string): void;
  onForget(): void;
}

/** Payment with a wallet outside this browser. */
export function ManualPayment({ demand, label, isBusy, onHash, onForget }: HandProps) {
  const { place, transfer } = useWindowTexts().money;
  return (
    <div className="stack by-hand">
      <p className="hint">
        {place.handHint} {place.holds(momentOf(demand.expiresAt))}
      </p>
      <TransferDetails transfer={{ ...demand, to: demand.recipient, reference: demand.paymentId }} label={label} />
      <HashForm chain={demand.chain} action={transfer.named} error={null} isBusy={isBusy} onHash={onHash} />
      <button type="button" className="link" disabled={isBusy} onClick={onForget}>
        {place.again}
      </button>
    </div>
  );
}

type Proven = Extract<Progress, { step: "paid" | "checking" | "refused" }>;
const STEPS = ["asked", "sent", "checked", "joined"] as const;

interface ProvingProps {
  progress: Proven;
  isBusy: boolean;
  onProve(): void;
  onAnother(): void;
}

/** The state of a submitted transaction. */
export function PaymentStatus({ progress, isBusy, onProve, onAnother }: ProvingProps) {
  const { app } = useTexts();
  const { place, transfer } = useWindowTexts().money;
  return (
    <>
      <ol className="steps" aria-label={place.stepsName}>
        {STEPS.map((step, at) => (
          <li key={step} data-done={at < 2 ? "" : undefined} aria-current={at === 2 ? "step" : undefined}>
            {place.steps[step]}
          </li>
        ))}
      </ol>
      <p role="status" className={progress.step === "refused" ? "error" : undefined}>
        {wordOf(progress, place)}
      </p>
      <CopyField label={transfer.hash} value={progress.txHash} />
      {progress.step === "checking" && <p className="hint">{place.staySafe}</p>}
      <div className="row">
        {progress.step === "paid" && (
          <button type="button" disabled={isBusy} onClick={onProve}>
            {place.finish}
          </button>
        )}
        {/* The key makes this a new button: a colour transition on the same one would be unreadable. */}
        <button
          key={progress.step}
          type="button"
          className={progress.step === "refused" ? undefined : "secondary"}
          onClick={onAnother}
        >
          {place.another}
        </button>
        {progress.step === "refused" && (
          <button type="button" className="secondary" disabled={isBusy} onClick={onProve}>
            {app.retry}
          </button>
        )}
      </div>
    </>
  );
}

function wordOf(progress: Proven, place: ReturnType<typeof useWindowTexts>["money"]["place"]): string {
  if (progress.step === "refused") return place.refused[progress.why];
  if (progress.step === "paid") return place.paidBefore;
  return progress.word === null ? place.looking : place.waiting[progress.word];
}
