import { QUORUM_MAX } from "@parley/protocol/card-limits";
import type { ApprovalRule } from "@parley/protocol/cards";
import type { Channel } from "@parley/protocol/models";
import { type FormEvent, useState } from "react";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { Field } from "../ui/field.tsx";
import { formValue } from "../ui/form-value.ts";
import { Section } from "../ui/section.tsx";
import { Select } from "../ui/select.tsx";
import { Submit } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";

/** Who decides what agents ask in the channel, and how many of them must approve. */
export function ApprovalRuleForm({ channel, onDone }: { channel: Channel; onDone(): void }) {
  const parley = useParley();
  const { channel: texts, channelSettings } = useWindowTexts();
  const action = useAction();
  // A server of an older release has no rules.
  const rule = channel.approval_rule ?? null;
  const [role, setRole] = useState<string>(rule?.role ?? "");
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const quorum = role === "" ? 1 : Number(formValue(event.currentTarget, "quorum"));
    const approval_rule = role === "" ? null : { role: role as ApprovalRule["role"], quorum };
    const isDone = await action.run(async () => {
      const { channel: updated } = await parley.client.channels.update(channel.id, { approval_rule });
      parley.channels.put(updated);
    });
    if (!isDone) return;
    parley.notices.say(channelSettings.saved);
    onDone();
  };
  return (
    <Section title={texts.approvals.title}>
      <form className="stack" onSubmit={submit}>
        <p className="hint">{texts.approvals.hint}</p>
        <Select
          label={texts.approvals.role}
          choices={texts.approvals.roles}
          value={role}
          onChange={(event) => setRole(event.target.value)}
        />
        {role !== "" && (
          <Field
            label={texts.approvals.quorum}
            name="quorum"
            type="number"
            min={1}
            max={QUORUM_MAX}
            defaultValue={rule?.quorum ?? 1}
            required
          />
        )}
        <Submit action={action}>{texts.approvals.save}</Submit>
      </form>
    </Section>
  );
}
