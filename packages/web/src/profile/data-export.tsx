import type { FormEvent } from "react";
import { useWindowTexts } from "../i18n/window-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { Field } from "../ui/field.tsx";
import { valueIn } from "../ui/form-value.ts";
import { keepExport } from "../ui/save-export.ts";
import { ErrorLine } from "../ui/submit.tsx";
import { useAct } from "../ui/use-action.ts";
import type { Own } from "./own-user.ts";

/** Exports the user's data, and deletes the account. */
export function OwnData({ user, onDeleted }: { user: Own; onDeleted(): void }) {
  const parley = useParley();
  const { profile: texts } = useWindowTexts();
  const act = useAct();
  const download = () =>
    act.run(async () => {
      const stream = await parley.client.accounts.exportUser(user.username);
      await keepExport(stream, `${user.username}.json`, texts.cutOff);
    });
  const remove = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const password = valueIn(event.currentTarget, "password");
    if (!(await parley.sure.ask({ title: user.username, text: texts.deleteSure, act: texts.delete }))) return;
    if (!(await act.run(() => parley.client.accounts.deleteUser(user.username, password)))) return;
    parley.notices.say(texts.deleted);
    onDeleted();
    parley.changeUser();
  };
  return (
    <>
      <button type="button" className="quiet" disabled={act.isBusy} onClick={() => void download()}>
        {texts.export}
      </button>
      <ErrorLine text={act.error} />
      <details>
        <summary>{texts.delete}</summary>
        <form className="stack" onSubmit={remove}>
          <p className="hint">{texts.deleteHint}</p>
          <Field label={texts.password} name="password" type="password" autoComplete="current-password" required />
          <button type="submit" className="quiet danger" disabled={act.isBusy}>
            {texts.delete}
          </button>
        </form>
      </details>
    </>
  );
}
