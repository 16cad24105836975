import type { FormEvent } from "react";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { Field } from "../ui/field.tsx";
import { formValue } from "../ui/form-value.ts";
import { Submit } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";
import { CurrentPassword } from "./current-password.tsx";
import type { ProfilePartProps } from "./own-user.ts";

export function EmailForm({ user, onUser }: ProfilePartProps) {
  const parley = useParley();
  const { app } = useTexts();
  const { profile: texts } = useWindowTexts();
  const action = useAction();
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const email = formValue(form, "email").trim() || null;
    const body = { email, current_password: formValue(form, "current") || undefined };
    const isDone = await action.run(async () =>
      onUser((await parley.client.accounts.updateUser(user.username, body)).user),
    );
    if (isDone) parley.notices.say(texts.saved);
  };
  return (
    <form className="stack" onSubmit={submit}>
      <Field
        label={texts.email}
        hint={texts.emailHint}
        name="email"
        type="email"
        autoComplete="email"
        defaultValue={user.email ?? ""}
      />
      <CurrentPassword action={action} />
      <Submit action={action}>{app.save}</Submit>
    </form>
  );
}

export function PasswordForm({ user, onUser }: ProfilePartProps) {
  const parley = useParley();
  const { account } = useTexts();
  const { profile: texts } = useWindowTexts();
  const action = useAction();
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const isDone = await action.run(async () => {
      const body = { password: formValue(form, "password"), current_password: formValue(form, "current") || undefined };
      onUser((await parley.client.accounts.updateUser(user.username, body)).user);
    });
    if (!isDone) return;
    form.reset();
    parley.notices.say(texts.changed);
  };
  return (
    <form className="stack" onSubmit={submit}>
      {/* Tells password managers which account this is. */}
      <input type="text" name="username" autoComplete="username" value={user.username} readOnly hidden />
      <CurrentPassword action={action} />
      <Field
        label={texts.newPassword}
        hint={account.passwordHint}
        name="password"
        type="password"
        autoComplete="new-password"
        maxLength={128}
        required
      />
      <Submit action={action}>{texts.change}</Submit>
    </form>
  );
}
