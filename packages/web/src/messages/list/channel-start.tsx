import type { Channel } from "@parley/protocol/models";
import { useTexts } from "../../i18n/use-texts.ts";
import { labelOf } from "../../model/channel-groups.ts";
import { Avatar } from "../../people/avatar.tsx";
import { LockIcon } from "../../ui/icons.tsx";
import { FirstSteps } from "../../welcome/first-steps.tsx";

/** The heading at the beginning of a channel: its name and description. */
export function ChannelStart({ channel }: { channel: Channel }) {
  const { messages: texts, channels } = useTexts();
  const days = channel.effective_retention_days;
  const name = labelOf(channel);
  return (
    <div className="start">
      {channel.is_direct ? (
        <Avatar name={name} isAgent={channel.direct_with_agent != null} />
      ) : (
        <span className="hash" aria-hidden="true">
          {channel.is_private ? <LockIcon /> : "#"}
        </span>
      )}
      <h3>
        <bdi>{channel.is_direct ? texts.startDirect(name) : texts.start(channel.is_private ? name : `#${name}`)}</bdi>
      </h3>
      <p dir="auto">{channel.description ?? (days === null ? texts.startHint : texts.startHello)}</p>
      {days !== null && <p>{channels.limited(days)}</p>}
      {!channel.is_direct && <FirstSteps channelId={channel.id} />}
    </div>
  );
}
