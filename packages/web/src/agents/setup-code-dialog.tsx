import type { SetupCodeResponse } from "@parley/protocol/setup-codes";
import { type FormEvent, useState } from "react";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Submit } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";
import { grantIn, KeyLimitFields } from "./key-limit-fields.tsx";
import { MadeSetupCode } from "./made-setup-code.tsx";

interface Props {
  name: string;
  agentId: number;
  onClose(): void;
}

/** Makes a setup code for one of the user's agents. */
export function SetupCodeDialog({ name, agentId, onClose }: Props) {
  const parley = useParley();
  const { setup: texts } = useWindowTexts();
  const action = useAction();
  const [made, setMade] = useState<SetupCodeResponse | null>(null);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const grant = grantIn(event.currentTarget);
    await action.run(async () => setMade(await parley.client.agents.setupCode(agentId, grant)));
  };
  return (
    <Dialog title={texts.titleFor(name)} onClose={onClose}>
      {made === null ? (
        <form className="stack" onSubmit={submit}>
          <p className="hint">{texts.hintFor}</p>
          <KeyLimitFields />
          <Submit action={action}>{texts.make}</Submit>
        </form>
      ) : (
        <MadeSetupCode made={made} onClose={onClose} />
      )}
    </Dialog>
  );
}
