import type { FormEvent } from "react";
import { useWelcomeTexts } from "../i18n/hooks/use-welcome-texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Field } from "../ui/field.tsx";
import { formValue } from "../ui/form-value.ts";
import { Submit } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";

/** Asks the holder of a reset link for a new password, then for a login with it. */
export function ResetDialog({ token, onClose }: { token: string; onClose(): void }) {
  const parley = useParley();
  const { account } = useTexts();
  const { reset: texts } = useWelcomeTexts();
  const action = useAction();
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const password = formValue(event.currentTarget, "password");
    const isDone = await action.run(async () => {
      const { username } = await parley.client.accounts.resetPassword({ token, password });
      parley.notices.say(texts.done(username));
    });
    if (!isDone) return;
    onClose();
    if (parley.self === null) parley.loginDialog.set("login");
  };
  return (
    <Dialog title={texts.title} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <p className="hint">{texts.hint}</p>
        <Field
          label={texts.password}
          name="password"
          type="password"
          autoComplete="new-password"
          maxLength={128}
          hint={account.passwordHint}
          required
        />
        <Submit action={action}>{texts.set}</Submit>
      </form>
    </Dialog>
  );
}
