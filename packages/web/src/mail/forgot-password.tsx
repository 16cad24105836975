import { Mail } from "@parley/sdk/groups";
import { type FormEvent, useState } from "react";
import { useMailTexts } from "../i18n/hooks/use-mail-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { Field } from "../ui/field.tsx";
import { formValue } from "../ui/form-value.ts";
import { Submit } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";

/** Asks for a mail with a link to choose a new password. It says the same whether there is such an account or not. */
export function ForgotPassword({ username, onBack }: { username: string; onBack(): void }) {
  const parley = useParley();
  const { forgot: texts } = useMailTexts();
  const action = useAction();
  const [isSent, setSent] = useState(false);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const account = formValue(event.currentTarget, "account").trim();
    if (await action.run(() => parley.client.group(Mail).forgotPassword(account))) setSent(true);
  };
  return (
    <form className="stack" onSubmit={submit}>
      {isSent ? (
        <p role="status">{texts.sent}</p>
      ) : (
        <>
          <p className="hint">{texts.hint}</p>
          <Field
            label={texts.account}
            name="account"
            defaultValue={username}
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={254}
            autoFocus
            required
          />
          <Submit action={action}>{texts.submit}</Submit>
        </>
      )}
      <p className="aside">
        <button type="button" className="link" onClick={onBack}>
          {texts.back}
        </button>
      </p>
    </form>
  );
}
