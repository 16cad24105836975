import type { Passkey } from "@parley/sdk";
import { type FormEvent, useCallback, useState } from "react";
import { addPasskey, hasPasskeys } from "../account/passkeys.ts";
import { momentOf } from "../i18n/date-format.ts";
import { useFactorTexts } from "../i18n/hooks/use-factor-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { useList } from "../session/use-list.ts";
import { Field } from "../ui/field.tsx";
import { formValue } from "../ui/form-value.ts";
import { ListEnd } from "../ui/list-end.tsx";
import { ErrorLine, Submit } from "../ui/submit.tsx";
import { type Action, useAction } from "../ui/use-action.ts";
import { CurrentPassword } from "./current-password.tsx";
import { RenamePasskeyDialog } from "./rename-passkey-dialog.tsx";

interface Props {
  /** Whether passkeys work at the server's address. */
  isAvailable: boolean;
  /** A passkey was added, renamed or removed. */
  onChange(): void;
}

/** The user's passkeys, with a form to add one. */
export function PasskeyList({ isAvailable, onChange }: Props) {
  const parley = useParley();
  const texts = useFactorTexts();
  const action = useAction();
  const [renaming, setRenaming] = useState<Passkey | null>(null);
  const { secondFactors } = parley.client;
  const load = useCallback(
    async () => ({ items: (await secondFactors.passkeys()).passkeys, next: null }),
    [secondFactors],
  );
  const list = useList<Passkey>(load);
  const changed = (text: string) => {
    parley.notices.say(text);
    list.reload();
    onChange();
  };
  const add = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const current_password = formValue(form, "current") || undefined;
    const asked = { name: formValue(form, "name").trim(), current_password, cancelled: texts.cancelled };
    if (!(await action.run(() => addPasskey(parley.client, asked)))) return;
    form.reset();
    changed(texts.passkeyAdded);
  };
  const remove = async (form: HTMLFormElement | null, { passkey_id, name }: Passkey) => {
    const current_password = (form !== null && formValue(form, "current")) || undefined;
    if (!(await parley.confirm.ask({ title: name, text: texts.removePasskeySure, action: texts.remove }))) return;
    if (await action.run(() => secondFactors.removePasskey(passkey_id, { current_password }))) changed(texts.removed);
  };
  const renamed = (isDone: boolean) => {
    setRenaming(null);
    if (isDone) changed(texts.passkeyRenamed);
  };
  return (
    <>
      {/* Outside of the form, because the dialog has a form of its own. */}
      {renaming !== null && <RenamePasskeyDialog passkey={renaming} onClose={renamed} />}
      <form className="stack" onSubmit={add}>
        <p className="hint">{texts.passkeysHint}</p>
        <ul className="lines" aria-label={texts.passkeys} hidden={(list.items?.length ?? 0) === 0}>
          {list.items?.map((each) => (
            <PasskeyLine
              key={each.passkey_id}
              passkey={each}
              isBusy={action.isBusy}
              onRename={() => setRenaming(each)}
              onRemove={(form) => void remove(form, each)}
            />
          ))}
        </ul>
        <ListEnd list={list} none={texts.noPasskeys} />
        <AddFields action={action} canAdd={isAvailable && hasPasskeys()} />
      </form>
    </>
  );
}

/** The end of the form: what adds a passkey, and the password and the error, which removing one needs too. */
function AddFields({ action, canAdd }: { action: Action; canAdd: boolean }) {
  const texts = useFactorTexts();
  return (
    <>
      {canAdd && (
        <Field
          label={texts.passkeyName}
          hint={texts.passkeyNameHint}
          name="name"
          autoComplete="off"
          maxLength={64}
          required
        />
      )}
      <CurrentPassword action={action} />
      {canAdd ? (
        <Submit action={action} className="secondary">
          {texts.addPasskey}
        </Submit>
      ) : (
        <>
          <ErrorLine text={action.error} />
          <p className="hint">{texts.notHere}</p>
        </>
      )}
    </>
  );
}

interface LineProps {
  passkey: Passkey;
  isBusy: boolean;
  onRename(): void;
  onRemove(form: HTMLFormElement | null): void;
}

function PasskeyLine({ passkey, isBusy, onRename, onRemove }: LineProps) {
  const texts = useFactorTexts();
  const { name, is_synced, created_at, last_used_at } = passkey;
  const used = last_used_at === null ? texts.neverUsed : texts.lastUsed(momentOf(last_used_at));
  return (
    <li>
      <span>
        <bdi>{name}</bdi>
        <span className="muted">{[momentOf(created_at), used, ...(is_synced ? [texts.synced] : [])].join(" · ")}</span>
      </span>
      <button
        type="button"
        className="secondary"
        disabled={isBusy}
        aria-label={`${texts.rename}: ${name}`}
        onClick={onRename}
      >
        {texts.rename}
      </button>
      <button
        type="button"
        className="secondary danger"
        disabled={isBusy}
        aria-label={`${texts.remove}: ${name}`}
        onClick={(event) => onRemove(event.currentTarget.form)}
      >
        {texts.remove}
      </button>
    </li>
  );
}
