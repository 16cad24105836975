import type { Channel } from "@parley/protocol/models";
import { useTexts } from "../../i18n/use-texts.ts";
import { Avatar } from "../../people/avatar.tsx";
import { FirstSteps } from "../../welcome/first-steps.tsx";

/** The heading at the beginning of a channel: its name and description. */
export function ChannelStart({ channel }: { channel: Channel }) {
  const { messages: texts } = useTexts();
  const name = channel.direct_with ?? channel.name;
  return (
    <div className="start">
      {channel.is_direct ? (
        <Avatar name={name} isAgent={false} />
      ) : (
        <span className="hash" aria-hidden="true">
          #
        </span>
      )}
      <h3>
        <bdi>{channel.is_direct ? texts.startDirect(name) : texts.start(`#${name}`)}</bdi>
      </h3>
      <p dir="auto">{channel.description ?? texts.startHint}</p>
      {!channel.is_direct && <FirstSteps channelId={channel.id} />}
    </div>
  );
}
