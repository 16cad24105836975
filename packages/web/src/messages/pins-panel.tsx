import type { Channel, ChatMessage } from "@parley/protocol/models";
import { useEffect, useState } from "react";
import { usePinsTexts } from "../i18n/hooks/use-pins-texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import type { ChannelSession } from "../model/channel-session.ts";
import { useParley } from "../session/parley-context.ts";
import { retryUntilDone } from "../state/retry.ts";
import { useStore } from "../state/store.ts";
import { MessageEntry } from "./message-entry.tsx";

/** The pinned messages of a channel, newest pin first. */
export function PinsPanel({ channelSession, channel }: { channelSession: ChannelSession; channel: Channel }) {
  const parley = useParley();
  const { app } = useTexts();
  const { noPins, pinnedBy } = usePinsTexts();
  const [pins, setPins] = useState<readonly ChatMessage[] | null>(null);
  const change = useStore(channelSession.pinned);
  // biome-ignore lint/correctness/useExhaustiveDependencies: reloads after each pin
  useEffect(() => {
    let isWanted = true;
    const read = async () => {
      const { messages } = await parley.client.channels.pins(channel.id);
      if (isWanted) setPins(messages);
    };
    const stop = retryUntilDone(read, (error) => parley.showError(error));
    return () => {
      isWanted = false;
      stop();
    };
  }, [parley, channel.id, change]);
  if (pins === null) return <p className="hint">{app.loading}</p>;
  if (pins.length === 0) return <p className="hint">{noPins}</p>;
  return (
    <ul className="message-entries">
      {pins.map((message) => (
        <MessageEntry
          key={message.id}
          message={message}
          {...(message.pinned_by === null ? {} : { where: pinnedBy(message.pinned_by) })}
        />
      ))}
    </ul>
  );
}
