import { Mail } from "@parley/sdk/groups";
import type { FormEvent } from "react";
import { useMailTexts } from "../i18n/hooks/use-mail-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Submit } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";

/** Confirms an address for the holder of the link, who presses a button: programs open the links of mails by themselves. */
export function ConfirmAddressDialog({ token, onClose }: { token: string; onClose(): void }) {
  const parley = useParley();
  const { confirm: texts } = useMailTexts();
  const action = useAction();
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const isDone = await action.run(async () => {
      const { email, username } = await parley.client.group(Mail).confirm(token);
      parley.notices.say(texts.done(email, username));
    });
    if (isDone) onClose();
  };
  return (
    <Dialog title={texts.title} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <p className="hint">{texts.hint}</p>
        <Submit action={action}>{texts.submit}</Submit>
      </form>
    </Dialog>
  );
}
