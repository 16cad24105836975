import type { FormEvent } from "react";
import { Field } from "../app/field.tsx";
import { useParley } from "../app/parley-context.ts";
import { Told } from "../app/told.ts";
import { useAct } from "../app/use-act.ts";
import { useWindowTexts } from "../texts/window-texts.ts";
import type { Own } from "./own.ts";

/** What an export ends with that was not cut off (contract, section 11). */
const END = '"complete":true}';

/** A copy of all that is kept of oneself, and the end of it. */
export function OwnData({ user, onDeleted }: { user: Own; onDeleted(): void }) {
  const parley = useParley();
  const { profile: texts } = useWindowTexts();
  const act = useAct();
  const download = () =>
    act.run(async () => {
      const stream = await parley.client.accounts.exportUser(user.username);
      const copy = await new Response(stream).blob();
      if ((await copy.slice(-END.length).text()) !== END) throw new Told(texts.cutOff);
      offer(copy, `${user.username}.json`);
    });
  const remove = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const password = String(new FormData(event.currentTarget).get("password") ?? "");
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
      <p className="error" role="alert">
        {act.error}
      </p>
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

/** Lets the browser keep it as a file. */
function offer(file: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
