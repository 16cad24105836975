import type { UpdateChannelBody } from "@parley/protocol/channels";
import { RETENTION_DAYS_MAX } from "@parley/protocol/limits";
import type { Channel } from "@parley/protocol/models";
import type { FormEvent } from "react";
import { momentOf } from "../i18n/date-format.ts";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { Field } from "../ui/field.tsx";
import { formValue } from "../ui/form-value.ts";
import { Section } from "../ui/section.tsx";
import { Submit } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";

/** How long the channel keeps its messages. Asks before it saves what would delete some. */
export function Retention({ channel, onDone }: { channel: Channel; onDone(): void }) {
  const parley = useParley();
  const { channels: common } = useTexts();
  const { channel: texts, channelSettings } = useWindowTexts();
  const action = useAction();
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const days = formValue(event.currentTarget, "retention_days").trim();
    const keep_pinned = new FormData(event.currentTarget).has("keep_pinned");
    const body: UpdateChannelBody = { retention_days: days === "" ? null : Number(days), keep_pinned };
    const isDone = await action.run(async () => {
      const { would_delete, effective_retention_days } = await parley.client.channels.dryRun(channel.id, body);
      const { messages = 0, files = 0 } = would_delete ?? {};
      const text = texts.purgeSure(effective_retention_days ?? 0, messages, files);
      const question = { title: channel.name, text, action: texts.purge };
      if (messages > 0 && !(await parley.confirm.ask(question))) return false;
      const { channel: updated } = await parley.client.channels.update(channel.id, body);
      parley.channels.put(updated);
      parley.notices.say(channelSettings.saved);
      onDone();
      return true;
    });
    return isDone;
  };
  const { effective_retention_days: effective, held_until } = channel;
  return (
    <Section title={texts.retention}>
      <form className="stack" onSubmit={submit}>
        <p className="hint">{effective === null ? texts.keptForever : common.limited(effective)}</p>
        {held_until !== null && <p className="hint">{texts.heldUntil(momentOf(held_until))}</p>}
        <Field
          label={texts.retentionDays}
          hint={texts.retentionHint}
          name="retention_days"
          type="number"
          min={1}
          max={RETENTION_DAYS_MAX}
          defaultValue={channel.retention_days ?? ""}
        />
        <label className="check">
          <input type="checkbox" name="keep_pinned" defaultChecked={channel.keep_pinned} />
          <span>{texts.keepPinned}</span>
        </label>
        <Submit action={action}>{texts.setLimit}</Submit>
      </form>
    </Section>
  );
}
