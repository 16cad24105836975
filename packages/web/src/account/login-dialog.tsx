import { type FormEvent, useState } from "react";
import { useTexts } from "../i18n/use-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { useStore } from "../state/store.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Field } from "../ui/field.tsx";
import { formValue } from "../ui/form-value.ts";
import { Submit } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";

/** The login and registration dialog. */
export function LoginDialog() {
  const parley = useParley();
  const { account: texts } = useTexts();
  const side = useStore(parley.loginDialog);
  const action = useAction();
  const [username, setUsername] = useState("");
  const isNew = side === "register";
  const close = () => parley.loginDialog.set(null);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const filled = (name: string) => formValue(form, name).trim() || undefined;
    const password = formValue(form, "password");
    const isDone = await action.run(() =>
      isNew
        ? parley.client.accounts.register({ username, password, email: filled("email"), invite_code: filled("invite") })
        : parley.client.accounts.login({ username, password }),
    );
    if (!isDone) return;
    parley.changeUser();
    close();
  };
  return (
    <Dialog title={isNew ? texts.join : texts.welcome} onClose={close}>
      <form className="stack" onSubmit={submit}>
        <Field
          label={texts.username}
          name="username"
          value={username}
          onChange={(event) => setUsername(event.target.value)}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={32}
          required
        />
        <Field
          label={texts.password}
          name="password"
          type="password"
          autoComplete={isNew ? "new-password" : "current-password"}
          maxLength={128}
          required
          {...(isNew ? { hint: texts.passwordHint } : {})}
        />
        {isNew && <Field label={texts.email} name="email" type="email" autoComplete="email" />}
        {isNew && <Field label={texts.invite} name="invite" autoComplete="off" spellCheck={false} />}
        <Submit action={action}>{isNew ? texts.register : texts.logIn}</Submit>
        <p className="aside">
          {isNew ? texts.haveOne : texts.newHere}{" "}
          <button type="button" className="link" onClick={() => parley.loginDialog.set(isNew ? "login" : "register")}>
            {isNew ? texts.logIn : texts.register}
          </button>
        </p>
      </form>
    </Dialog>
  );
}
