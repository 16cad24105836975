import { Mail } from "@parley/sdk/groups";
import type { FormEvent } from "react";
import { useInvitationTexts } from "../i18n/hooks/use-invitation-texts.ts";
import { useMailTexts } from "../i18n/hooks/use-mail-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { Field } from "../ui/field.tsx";
import { formValue } from "../ui/form-value.ts";
import { Section } from "../ui/section.tsx";
import { Select } from "../ui/select.tsx";
import { Submit } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";

/** Makes an invitation for one account and mails it. `onInvited`: the list of invitations has grown. */
export function InviteByMail({ onInvited }: { onInvited(): void }) {
  const parley = useParley();
  const { invite: texts } = useMailTexts();
  const { dayChoices } = useInvitationTexts();
  const action = useAction();
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const email = formValue(form, "email").trim();
    const days = Number(formValue(form, "days"));
    if (!(await action.run(() => parley.client.group(Mail).invite({ email, days })))) return;
    parley.notices.say(texts.sent(email));
    form.reset();
    onInvited();
  };
  return (
    <Section title={texts.title}>
      <form className="stack" onSubmit={submit}>
        <Field label={texts.address} name="email" type="email" autoComplete="off" maxLength={254} required />
        <Select label={texts.days} name="days" choices={dayChoices} defaultValue="7" />
        <Submit action={action} className="secondary">
          {texts.submit}
        </Submit>
      </form>
    </Section>
  );
}
