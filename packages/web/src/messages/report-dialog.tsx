import type { ChatMessage } from "@parley/protocol/records";
import type { FormEvent } from "react";
import { Dialog } from "../app/dialog.tsx";
import { Field } from "../app/field.tsx";
import { valueIn } from "../app/form.ts";
import { useParley, useTexts } from "../app/parley-context.ts";
import { Submit } from "../app/submit.tsx";
import { useAct } from "../app/use-act.ts";

/** Reports a message to the moderators. */
export function ReportDialog({ message, onClose }: { message: ChatMessage; onClose(): void }) {
  const parley = useParley();
  const { messages: texts } = useTexts();
  const act = useAct();
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const reason = valueIn(event.currentTarget, "reason").trim();
    const isDone = await act.run(() => parley.client.messages.report(message.id, reason));
    if (!isDone) return;
    parley.notices.say(texts.reported);
    onClose();
  };
  return (
    <Dialog title={texts.report} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <Field label={texts.reportReason} name="reason" maxLength={500} required />
        <Submit act={act}>{texts.report}</Submit>
      </form>
    </Dialog>
  );
}
