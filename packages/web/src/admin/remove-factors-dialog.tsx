import type { FormEvent } from "react";
import { useFactorTexts } from "../i18n/hooks/use-factor-texts.ts";
import { CurrentPassword } from "../profile/current-password.tsx";
import { useParley } from "../session/parley-context.ts";
import { Dialog } from "../ui/dialog.tsx";
import { formValue } from "../ui/form-value.ts";
import { Submit } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";

/** Removes the second factors of a user who has lost them. */
export function RemoveFactorsDialog({ username, onClose }: { username: string; onClose(): void }) {
  const parley = useParley();
  const texts = useFactorTexts();
  const action = useAction();
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const current_password = formValue(event.currentTarget, "current") || undefined;
    if (!(await action.run(() => parley.client.admin.removeSecondFactors(username, { current_password })))) return;
    parley.notices.say(texts.adminRemoved(username));
    onClose();
  };
  return (
    <Dialog title={texts.adminRemoveOf(username)} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <p className="hint">{texts.adminRemoveSure(username)}</p>
        <CurrentPassword action={action} />
        <Submit action={action}>{texts.adminRemove}</Submit>
      </form>
    </Dialog>
  );
}
