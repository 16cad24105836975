import { AGENT_NAME_MAX, USERNAME_MAX } from "@parley/protocol/limits";
import type { SetupCodeResponse } from "@parley/protocol/setup-codes";
import { type FormEvent, useState } from "react";
import { useWindowTexts } from "../i18n/window-texts.ts";
import { CurrentPassword } from "../profile/current-password.tsx";
import { ADMINISTRATOR, useLevel, useParley } from "../session/parley-context.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Field } from "../ui/field.tsx";
import { formValue } from "../ui/form-value.ts";
import { Submit } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";
import { grantIn, KeyLimitFields } from "./key-limit-fields.tsx";
import { MadeSetupCode } from "./made-setup-code.tsx";

/** Makes a setup code for an agent that does not exist yet: for the user, or, if an administrator asks, for anybody. */
export function SetUpAgentDialog({ onClose }: { onClose(): void }) {
  const { setup: texts } = useWindowTexts();
  const [made, setMade] = useState<SetupCodeResponse | null>(null);
  return (
    <Dialog title={made === null ? texts.begin : texts.titleFor(made.agent_name ?? "")} onClose={onClose}>
      {made === null ? <SetUpForm onMade={setMade} /> : <MadeSetupCode made={made} onClose={onClose} />}
    </Dialog>
  );
}

function SetUpForm({ onMade }: { onMade(made: SetupCodeResponse): void }) {
  const parley = useParley();
  const isAdministrator = useLevel() >= ADMINISTRATOR;
  const { setup: texts } = useWindowTexts();
  const action = useAction();
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const owner = isAdministrator ? formValue(form, "owner").trim() : "";
    const body = {
      agent_name: formValue(form, "name").trim(),
      ...(isAdministrator ? { current_password: formValue(form, "current") || undefined } : {}),
      ...(owner === "" ? {} : { owner_username: owner }),
      ...grantIn(form),
    };
    await action.run(async () => onMade(await parley.client.agents.setupCodeByName(body)));
  };
  return (
    <form className="stack" onSubmit={submit}>
      <p className="hint">{texts.hint}</p>
      <Field
        label={texts.name}
        hint={texts.nameHint}
        name="name"
        required
        autoComplete="off"
        maxLength={AGENT_NAME_MAX}
      />
      {isAdministrator && (
        <Field
          label={texts.owner}
          hint={texts.ownerHint}
          name="owner"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={USERNAME_MAX}
        />
      )}
      <KeyLimitFields />
      {isAdministrator && <CurrentPassword action={action} />}
      <Submit action={action}>{texts.make}</Submit>
    </form>
  );
}
