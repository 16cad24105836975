import type { ChatMessage } from "@parley/protocol/models";
import type { FormEvent } from "react";
import { useMessageActsTexts } from "../i18n/hooks/use-message-acts-texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Field } from "../ui/field.tsx";
import { formValue } from "../ui/form-value.ts";
import { Submit } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";

/** Reports a message to the moderators. */
export function ReportDialog({ message, onClose }: { message: ChatMessage; onClose(): void }) {
  const parley = useParley();
  const { messages: texts } = useTexts();
  const acts = useMessageActsTexts();
  const action = useAction();
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const reason = formValue(event.currentTarget, "reason").trim();
    const isDone = await action.run(() => parley.client.messages.report(message.id, reason));
    if (!isDone) return;
    parley.notices.say(acts.reported);
    onClose();
  };
  return (
    <Dialog title={texts.report} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <Field label={acts.reportReason} name="reason" maxLength={500} required />
        <Submit action={action}>{texts.report}</Submit>
      </form>
    </Dialog>
  );
}
