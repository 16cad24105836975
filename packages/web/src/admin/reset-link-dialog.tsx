import type { ResetLinkResponse } from "@parley/protocol/administration";
import { type FormEvent, useState } from "react";
import { momentOf } from "../i18n/date-format.ts";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { CurrentPassword } from "../profile/current-password.tsx";
import { CopyField } from "../session/copy-field.tsx";
import { useParley } from "../session/parley-context.ts";
import { Dialog } from "../ui/dialog.tsx";
import { formValue } from "../ui/form-value.ts";
import { Submit } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";

/** Makes a link with which a user chooses a new password, and shows it once. */
export function ResetLinkDialog({ username, onClose }: { username: string; onClose(): void }) {
  const parley = useParley();
  const { admin: texts } = useWindowTexts();
  const action = useAction();
  const [made, setMade] = useState<ResetLinkResponse | null>(null);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const current_password = formValue(event.currentTarget, "current") || undefined;
    void action.run(async () => setMade(await parley.client.admin.makeResetLink(username, { current_password })));
  };
  return (
    <Dialog title={texts.resetLinkOf(username)} onClose={onClose}>
      {made === null ? (
        <form className="stack" onSubmit={submit}>
          <p className="hint">{texts.resetLinkSure(username)}</p>
          <CurrentPassword action={action} />
          <Submit action={action}>{texts.makeLink}</Submit>
        </form>
      ) : (
        <CopyField label={texts.link} value={made.url} hint={texts.linkHint(username, momentOf(made.expires_at))} />
      )}
    </Dialog>
  );
}
