import type { FormEvent } from "react";
import { keepExport } from "../app/download.ts";
import { Field } from "../app/field.tsx";
import { valueIn } from "../app/form.ts";
import { useParley } from "../app/parley-context.ts";
import { ErrorLine } from "../app/submit.tsx";
import { useAct } from "../app/use-act.ts";
import { useWindowTexts } from "../texts/window-texts.ts";
import type { Own } from "./own.ts";

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
