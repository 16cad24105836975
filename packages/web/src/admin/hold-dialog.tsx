import type { AdminChannel } from "@parley/protocol/administration";
import { HOLD_REASON_MAX } from "@parley/protocol/limits";
import type { FormEvent } from "react";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Field } from "../ui/field.tsx";
import { formValue } from "../ui/form-value.ts";
import { Submit } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";

/** Asks until when and why nothing in a channel may be deleted by age. */
export function HoldDialog({ channel, onClose }: { channel: AdminChannel; onClose(isDone: boolean): void }) {
  const parley = useParley();
  const { admin: texts } = useWindowTexts();
  const action = useAction();
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const until = new Date(`${formValue(event.currentTarget, "until")}T23:59:59`).toISOString();
    const reason = formValue(event.currentTarget, "reason").trim();
    const isDone = await action.run(async () => {
      await parley.client.admin.holdChannel(channel.id, { until, reason });
    });
    if (isDone) onClose(true);
  };
  return (
    <Dialog title={`${texts.hold}: ${channel.name}`} onClose={() => onClose(false)}>
      <form className="stack" onSubmit={submit}>
        <p className="hint">{texts.holdHint}</p>
        <Field label={texts.holdUntil} name="until" type="date" required />
        <Field label={texts.holdReason} name="reason" maxLength={HOLD_REASON_MAX} autoComplete="off" required />
        <Submit action={action}>{texts.hold}</Submit>
      </form>
    </Dialog>
  );
}
