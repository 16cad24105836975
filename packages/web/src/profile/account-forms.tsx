import type { FormEvent } from "react";
import { Field } from "../app/field.tsx";
import { useParley, useTexts } from "../app/parley-context.ts";
import { useAct } from "../app/use-act.ts";
import { useWindowTexts } from "../texts/window-texts.ts";
import type { ProfilePartProps } from "./own.ts";

export function EmailForm({ user, onUser }: ProfilePartProps) {
  const parley = useParley();
  const { app } = useTexts();
  const { profile: texts } = useWindowTexts();
  const act = useAct();
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const email = String(new FormData(event.currentTarget).get("email") ?? "").trim() || null;
    const isDone = await act.run(async () =>
      onUser((await parley.client.accounts.updateUser(user.username, { email })).user),
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
      <p className="error" role="alert">
        {act.error}
      </p>
      <button type="submit" disabled={act.isBusy}>
        {app.save}
      </button>
    </form>
  );
}

export function PasswordForm({ user, onUser }: ProfilePartProps) {
  const parley = useParley();
  const { account } = useTexts();
  const { profile: texts } = useWindowTexts();
  const act = useAct();
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const filled = (name: string) => String(new FormData(form).get(name) ?? "");
    const isDone = await act.run(async () => {
      const body = { password: filled("password"), current_password: filled("current") || undefined };
      onUser((await parley.client.accounts.updateUser(user.username, body)).user);
    });
    if (!isDone) return;
    form.reset();
    parley.notices.say(texts.changed);
  };
  return (
    <form className="stack" onSubmit={submit}>
      {/* Tells password managers whose it is. */}
      <input type="text" name="username" autoComplete="username" value={user.username} readOnly hidden />
      <Field
        label={texts.current}
        hint={texts.currentHint}
        name="current"
        type="password"
        autoComplete="current-password"
      />
      <Field
        label={texts.newPassword}
        hint={account.passwordHint}
        name="password"
        type="password"
        autoComplete="new-password"
        maxLength={128}
        required
      />
      <p className="error" role="alert">
        {act.error}
      </p>
      <button type="submit" disabled={act.isBusy}>
        {texts.change}
      </button>
    </form>
  );
}
