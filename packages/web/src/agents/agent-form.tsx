import type { CreateAgentBody } from "@parley/protocol/claims";
import { AGENT_NAME_MAX, USERNAME_MAX } from "@parley/protocol/limits";
import type { FormEvent } from "react";
import { CurrentPassword } from "../profile/current-password.tsx";
import { Field } from "../ui/field.tsx";
import { formValue } from "../ui/form-value.ts";
import { Submit } from "../ui/submit.tsx";
import { type Action, useAction } from "../ui/use-action.ts";
import { grantIn, KeyLimitFields } from "./key-limit-fields.tsx";

interface Props {
  texts: Record<"hint" | "name" | "nameHint" | "owner" | "ownerHint", string>;
  /** The text of the button. */
  submit: string;
  /** True for administrators, who name the owner and confirm with their password. */
  byLevel: boolean;
  /** Called with the name of a field that was changed. */
  onChange?(field: string): void;
  /** Sends the form. Errors are shown in it. */
  send(body: CreateAgentBody): Promise<unknown>;
}

/** The name of a new agent, its owner, and the limits of its first key. */
export function AgentForm({ texts, submit, byLevel, onChange, send }: Props) {
  const action: Action = useAction();
  const submitted = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const owner = byLevel ? formValue(form, "owner").trim() : "";
    const body = {
      agent_name: formValue(form, "name").trim(),
      ...(byLevel ? { current_password: formValue(form, "current") || undefined } : {}),
      ...(owner === "" ? {} : { owner_username: owner }),
      ...grantIn(form),
    };
    await action.run(() => send(body));
  };
  return (
    <form className="stack" onSubmit={submitted} onChange={({ target }) => onChange?.(nameOf(target))}>
      <p className="hint">{texts.hint}</p>
      <Field
        label={texts.name}
        hint={texts.nameHint}
        name="name"
        required
        autoComplete="off"
        maxLength={AGENT_NAME_MAX}
      />
      {byLevel && (
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
      {byLevel && <CurrentPassword action={action} />}
      <Submit action={action}>{submit}</Submit>
    </form>
  );
}

const nameOf = (target: EventTarget): string => (target instanceof HTMLInputElement ? target.name : "");
