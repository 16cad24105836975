import type { Channel } from "@parley/protocol/models";
import type { FormEvent } from "react";
import { calendarDayOf } from "../i18n/date-format.ts";
import { useTexts } from "../i18n/use-texts.ts";
import type { Conversation } from "../model/conversation.ts";
import { startOfDay } from "../model/search-query.ts";
import { useParley } from "../session/parley-context.ts";
import { hrefOf } from "../state/route.ts";
import { Field } from "../ui/field.tsx";
import { formValue } from "../ui/form-value.ts";
import { ErrorLine } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";

interface Props {
  channel: Pick<Channel, "id" | "channel_slug">;
  channelSession: Conversation;
  /** Called when the conversation shows the day. */
  onDone?(): void;
}

/** A date field that leads to the first message of a day, or of the next day that has one. */
export function JumpToDate({ channel, channelSession, onDone }: Props) {
  const parley = useParley();
  const { finding: texts } = useTexts();
  const action = useAction();
  const jump = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const start = startOfDay(formValue(event.currentTarget, "day"));
    if (start === null) return;
    const since = start.toISOString();
    await action.run(async () => {
      const [first] = (await parley.client.messages.list({ channel_id: channel.id, since, limit: 1 })).messages;
      if (first === undefined) return action.fail(texts.nothingSince(calendarDayOf(since)));
      onDone?.();
      const href = hrefOf({ slug: channel.channel_slug, messageId: first.id });
      // The address may be that of an earlier jump, and then it does not change.
      if (location.hash === href) channelSession.scrollTo(first.id);
      else location.hash = href;
    });
  };
  return (
    <form className="jump-date" onSubmit={jump}>
      <Field label={texts.day} name="day" type="date" required max="9999-12-31" />
      <button type="submit" className="secondary" disabled={action.isBusy}>
        {texts.go}
      </button>
      <ErrorLine text={action.error} />
    </form>
  );
}
