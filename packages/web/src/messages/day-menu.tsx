import type { ChatMessage } from "@parley/protocol/models";
import { dayOf } from "../i18n/date-format.ts";
import { useTexts } from "../i18n/use-texts.ts";
import { useToday } from "../i18n/use-today.ts";
import type { Conversation } from "../model/conversation.ts";
import { later } from "../session/lazy.tsx";
import { Popover } from "../ui/popover.tsx";

const JumpToDate = later(async () => (await import("./jump-to-date.tsx")).JumpToDate);

/** The day above its first message; a press offers to jump to another one. */
export function DayMenu({ message, channelSession }: { message: ChatMessage; channelSession: Conversation }) {
  const { finding: texts } = useTexts();
  const day = dayOf(message.created_at, useToday());
  const channel = { id: message.channel_id, channel_slug: message.channel_slug };
  return (
    <Popover label={texts.jumpFrom(day)} className="day-button" button={day}>
      {(close) => <JumpToDate channel={channel} channelSession={channelSession} onDone={close} />}
    </Popover>
  );
}
