import type { Passkey } from "@parley/sdk";
import type { FormEvent } from "react";
import { useFactorTexts } from "../i18n/hooks/use-factor-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Field } from "../ui/field.tsx";
import { formValue } from "../ui/form-value.ts";
import { Submit } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";

/** Asks for a new name for one of the user's passkeys. */
export function RenamePasskeyDialog({ passkey, onClose }: { passkey: Passkey; onClose(isDone: boolean): void }) {
  const { secondFactors } = useParley().client;
  const texts = useFactorTexts();
  const action = useAction();
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const name = formValue(event.currentTarget, "name").trim();
    if (await action.run(() => secondFactors.renamePasskey(passkey.passkey_id, name))) onClose(true);
  };
  return (
    <Dialog title={`${texts.rename}: ${passkey.name}`} onClose={() => onClose(false)}>
      <form className="stack" onSubmit={submit}>
        <Field
          label={texts.passkeyName}
          hint={texts.passkeyNameHint}
          name="name"
          defaultValue={passkey.name}
          autoComplete="off"
          maxLength={64}
          required
        />
        <Submit action={action}>{texts.rename}</Submit>
      </form>
    </Dialog>
  );
}
