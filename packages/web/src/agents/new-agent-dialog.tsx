import type { CreateAgentResponse } from "@parley/protocol/claims";
import { AGENT_NAME_MAX, USERNAME_MAX } from "@parley/protocol/limits";
import { newIdempotencyKey } from "@parley/sdk";
import { type FormEvent, useLayoutEffect, useRef, useState } from "react";
import { useTexts } from "../i18n/use-texts.ts";
import { useWindowTexts } from "../i18n/window-texts.ts";
import { CurrentPassword } from "../profile/current-password.tsx";
import { useParley, useSelf } from "../session/parley-context.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Field } from "../ui/field.tsx";
import { formValue } from "../ui/form-value.ts";
import { Submit } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";
import { IssuedKey } from "./issued-key.tsx";
import { grantIn, KeyLimitFields } from "./key-limit-fields.tsx";

/** Creates an agent for the administrator or another user, and then shows its key once. */
export function NewAgentDialog({ onClose }: { onClose(): void }) {
  const { newAgent: texts } = useWindowTexts();
  const [made, setMade] = useState<CreateAgentResponse | null>(null);
  return (
    <Dialog title={made === null ? texts.title : made.agent.agent_names.join(", ")} onClose={onClose}>
      {made === null ? <NewAgentForm onMade={setMade} /> : <MadeAgent made={made} onClose={onClose} />}
    </Dialog>
  );
}

function NewAgentForm({ onMade }: { onMade(made: CreateAgentResponse): void }) {
  const parley = useParley();
  const { newAgent: texts } = useWindowTexts();
  const action = useAction();
  // A second press after a lost response finds the agent of the first.
  const once = useRef(newIdempotencyKey());
  const renew = () => {
    once.current = newIdempotencyKey();
  };
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const owner = formValue(form, "owner").trim();
    const body = {
      agent_name: formValue(form, "name").trim(),
      current_password: formValue(form, "current") || undefined,
      ...(owner === "" ? {} : { owner_username: owner }),
      ...grantIn(form),
    };
    await action.run(async () => {
      onMade(await parley.client.agents.create(body, { idempotencyKey: once.current }));
    });
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
        onChange={renew}
      />
      <Field
        label={texts.owner}
        hint={texts.ownerHint}
        name="owner"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={USERNAME_MAX}
        onChange={renew}
      />
      <KeyLimitFields onChange={renew} />
      <CurrentPassword action={action} />
      <Submit action={action}>{texts.create}</Submit>
    </form>
  );
}

function MadeAgent({ made, onClose }: { made: CreateAgentResponse; onClose(): void }) {
  const parley = useParley();
  const self = useSelf();
  const { account } = useTexts();
  const { newAgent: texts } = useWindowTexts();
  const done = useRef<HTMLParagraphElement>(null);
  // The button that had the focus is gone.
  useLayoutEffect(() => done.current?.focus(), []);
  const { api_key, agent } = made;
  const name = agent.agent_names[0] ?? texts.title;
  return (
    <>
      <p ref={done} tabIndex={-1}>
        {api_key === null ? texts.keyLost : texts.made(name)}
      </p>
      {api_key !== null && <IssuedKey label={texts.key} apiKey={api_key} name={name} />}
      <div className="row">
        <button type="button" onClick={onClose}>
          {texts.done}
        </button>
        {agent.owner_username === self && (
          <button type="button" className="secondary" onClick={() => parley.openDialog.set({ window: "agents" })}>
            {account.agents}
          </button>
        )}
      </div>
    </>
  );
}
