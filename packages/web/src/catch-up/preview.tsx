import type { ChatMessage } from "@parley/protocol/models";
import { useEffect, useState } from "react";
import { useCatchUpTexts } from "../i18n/hooks/use-catch-up-texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import { MessageLine } from "../markdown/message-text.tsx";
import { readUpTo } from "../model/calls/reading.ts";
import { fileLine } from "../model/files/file-line.ts";
import { senderInText } from "../model/sender.ts";
import type { Parley } from "../session/parley.ts";
import { useParley, useSelf } from "../session/parley-context.ts";
import type { Entry } from "./entries.ts";

/** Messages of one entry that are shown. */
const SHOWN = 20;
/** Who moves on at once does not need them. */
const WAIT_MS = 150;

/** The beginning of an entry: its first unread messages, or what it says of itself. */
export function Preview({ entry }: { entry: Entry }) {
  if (entry.kind === "card" || entry.kind === "mention")
    return (
      <div className="excerpt" dir="auto">
        {entry.notification.text}
      </div>
    );
  if (entry.kind === "session")
    return (
      <div className="excerpt" dir="auto">
        {entry.session.title}
      </div>
    );
  return <FirstMessages entry={entry} />;
}

type Place = Extract<Entry, { kind: "channel" | "thread" }>;

function FirstMessages({ entry }: { entry: Place }) {
  const parley = useParley();
  const self = useSelf();
  const texts = useCatchUpTexts();
  const { messages: words } = useTexts();
  const [messages, setMessages] = useState<readonly ChatMessage[] | null>(null);
  const count = (entry.kind === "channel" ? entry.channel.unread_count : entry.thread.unread_count) ?? 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: other changes of the entry do not matter here
  useEffect(() => {
    let isCurrent = true;
    const read = async () => {
      const found = await unreadOf(parley, entry);
      if (isCurrent) setMessages(found);
    };
    // Without them the entry is only shorter.
    const timer = setTimeout(() => void read().catch(() => {}), WAIT_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [parley, entry.key, count]);
  if (messages === null) return null;
  const others = messages.filter(({ username, is_deleted }) => username !== self && !is_deleted);
  const more = count - others.length;
  return (
    <div className="excerpt first-messages">
      {others.map((message) => (
        <p key={message.id}>
          <bdi className="name">{senderInText(message)}</bdi>{" "}
          <bdi>
            <Line message={message} />
          </bdi>
        </p>
      ))}
      {more > 0 && <p className="muted">{texts.more(more)}</p>}
      {others.length === 0 && more <= 0 && <p className="muted">{words.deleted}</p>}
    </div>
  );
}

/** One line of a message, or what it has instead of a text. */
function Line({ message }: { message: ChatMessage }) {
  const texts = useTexts();
  const { content, sticker, packet_id, files } = message;
  if (content !== "") return <MessageLine message={message} />;
  if (sticker !== null) return texts.messages.sticker(sticker.sticker_name);
  return packet_id === null ? fileLine(files, texts) : texts.messages.packet;
}

async function unreadOf({ client }: Parley, entry: Place): Promise<readonly ChatMessage[]> {
  if (entry.kind === "channel") {
    const { id: channel_id } = entry.channel;
    return (await client.messages.list({ channel_id, after_seq: readUpTo(entry.channel), limit: SHOWN })).messages;
  }
  const after_seq = readUpTo(entry.thread);
  return (await client.messages.thread(entry.thread.root.id, { after_seq, limit: SHOWN })).messages;
}
