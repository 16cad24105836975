import type { ChannelRecord, ChatMessage } from "@parley/protocol/records";
import { useEffect, useState } from "react";
import type { Room } from "../model/channel-session.ts";
import { useParley, useTexts } from "../session/parley-context.ts";
import { untilDone } from "../state/retry.ts";
import { useStore } from "../state/store.ts";
import { FoundEntry } from "./message-entry.tsx";

/** The pinned messages of a channel, newest pin first. */
export function PinsPanel({ room, channel }: { room: Room; channel: ChannelRecord }) {
  const parley = useParley();
  const { messages: texts, app } = useTexts();
  const [pins, setPins] = useState<readonly ChatMessage[] | null>(null);
  const change = useStore(room.pinned);
  // biome-ignore lint/correctness/useExhaustiveDependencies: reloads after each pin
  useEffect(() => {
    let isWanted = true;
    const read = async () => {
      const { messages } = await parley.client.channels.pins(channel.id);
      if (isWanted) setPins(messages);
    };
    const stop = untilDone(read, (error) => parley.complain(error));
    return () => {
      isWanted = false;
      stop();
    };
  }, [parley, channel.id, change]);
  if (pins === null) return <p className="hint">{app.loading}</p>;
  if (pins.length === 0) return <p className="hint">{texts.noPins}</p>;
  return (
    <ul className="found-list">
      {pins.map((message) => (
        <FoundEntry key={message.id} message={message} />
      ))}
    </ul>
  );
}
