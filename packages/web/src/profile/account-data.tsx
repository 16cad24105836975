import type { FormEvent } from "react";
import { LogInAgain } from "../account/log-in-again.tsx";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { useOwnLogins } from "../session/use-own-logins.ts";
import { Field } from "../ui/field.tsx";
import { formValue } from "../ui/form-value.ts";
import { saveExport } from "../ui/save-export.ts";
import { ErrorLine } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";
import type { OwnUser } from "./own-user.ts";

/** Exports the user's data, and deletes the account. */
export function AccountData({ user, onDeleted }: { user: OwnUser; onDeleted(): void }) {
  const parley = useParley();
  const { profile: texts } = useWindowTexts();
  const action = useAction();
  const logins = useOwnLogins();
  const download = () =>
    action.run(async () => {
      const stream = await parley.client.accounts.exportUser(user.username);
      await saveExport(stream, `${user.username}.json`, texts.cutOff);
    });
  const remove = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const password = formValue(event.currentTarget, "password") || undefined;
    if (!(await parley.confirm.ask({ title: user.username, text: texts.deleteSure, action: texts.delete }))) return;
    if (!(await action.run(() => parley.client.accounts.deleteUser(user.username, password)))) return;
    parley.notices.say(texts.deleted);
    onDeleted();
    parley.changeUser();
  };
  return (
    <>
      <button type="button" className="secondary" disabled={action.isBusy} onClick={() => void download()}>
        {texts.export}
      </button>
      <ErrorLine text={action.error} />
      <details>
        <summary>{texts.delete}</summary>
        <form className="stack" onSubmit={remove}>
          <p className="hint">{texts.deleteHint}</p>
          {logins?.has_password !== false && (
            <Field
              label={texts.password}
              name="password"
              type="password"
              autoComplete="current-password"
              required={logins?.identities.length === 0}
            />
          )}
          {(logins?.identities.length ?? 0) > 0 && <LogInAgain />}
          <button type="submit" className="secondary danger" disabled={action.isBusy}>
            {texts.delete}
          </button>
        </form>
      </details>
    </>
  );
}
