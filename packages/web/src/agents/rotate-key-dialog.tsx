import type { ApiKey } from "@parley/protocol/api-keys";
import { KeyClaims } from "@parley/sdk/groups";
import type { FormEvent } from "react";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { CurrentPassword } from "../profile/current-password.tsx";
import { useParley } from "../session/parley-context.ts";
import { Dialog } from "../ui/dialog.tsx";
import { formValue } from "../ui/form-value.ts";
import { Select } from "../ui/select.tsx";
import { Submit } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";
import { grantIn, KeyLimitFields } from "./key-limit-fields.tsx";

interface Props {
  name: string;
  agentId: number;
  /** The agent's newest key, whose limits the new one has at first. */
  held: ApiKey | undefined;
  onClose(): void;
  /** Receives the new key, which is shown only once. */
  onKey(key: string): void;
}

/** Issues a new key for an agent, and sets how long the old ones still work. */
export function RotateKeyDialog({ name, agentId, held, onClose, onKey }: Props) {
  const parley = useParley();
  const { agents: texts } = useWindowTexts();
  const action = useAction();
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const grace_seconds = Number(formValue(event.currentTarget, "grace"));
    const current_password = formValue(event.currentTarget, "current") || undefined;
    const body = { agent_id: agentId, grace_seconds, current_password, ...grantIn(event.currentTarget) };
    await action.run(async () => {
      onKey((await parley.client.group(KeyClaims).rotate(body)).api_key);
    });
  };
  return (
    <Dialog title={texts.rotateTitle(name)} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <p>{texts.rotateHint}</p>
        <Select label={texts.grace} name="grace" choices={texts.graces} defaultValue="0" />
        <KeyLimitFields held={held} />
        <CurrentPassword action={action} />
        <Submit action={action}>{texts.makeKey}</Submit>
      </form>
    </Dialog>
  );
}
