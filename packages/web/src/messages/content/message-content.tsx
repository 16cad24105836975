import { useState } from "react";
import { MessageFiles } from "../../files/message-files.tsx";
import { useTexts } from "../../i18n/use-texts.ts";
import { MessageText } from "../../markdown/message-text.tsx";
import { lazy } from "../../session/lazy.tsx";
import { StickerImage } from "../sticker-image.tsx";
import type { ContentProps } from "./content-props.ts";
import { isLong } from "./is-long.ts";

const ActivityLine = lazy(async () => (await import("../activity/activity-line.tsx")).ActivityLine);
const ForwardedMessage = lazy(async () => (await import("./forwarded-message.tsx")).ForwardedMessage);
const Linked = lazy(async () => (await import("../linked-messages.tsx")).Linked);
const InteractiveCard = lazy(async () => (await import("../question/interactive-card.tsx")).InteractiveCard);
const PacketCard = lazy(async () => (await import("../../red-packets/packet-card.tsx")).PacketCard);
const PollCard = lazy(async () => (await import("../../polls/poll-card.tsx")).PollCard);
const ShowAll = lazy(async () => (await import("./show-all.tsx")).ShowAll);

function EditedMark() {
  const { messages: texts } = useTexts();
  return <span className="mark edited">({texts.edited})</span>;
}
const EDITED = <EditedMark />;

/** The text, files and card of a message. A long text shows only its beginning until the reader opens it. */
export function Content(props: ContentProps) {
  const { message, isSource, isGrowing, isOpen, isStop, unfolded } = props;
  const { messages: texts } = useTexts();
  const { id, content, stream_id = 0 } = message;
  const [, open] = useState(false);
  // It is only added to: what is rendered twice is the same.
  if (isOpen) unfolded.add(id);
  // The id of a message that is being written is that of its stream.
  const isFolded = isLong(content) && !unfolded.has(id) && !unfolded.has(-stream_id);
  if (message.is_deleted) return <p className="deleted">{texts.deleted}</p>;
  if (message.forwarded !== undefined) return <ForwardedMessage {...props} Plain={Content} />;
  return (
    <>
      {message.sticker !== null && <StickerImage sticker={message.sticker} />}
      {message.packet_id !== null && (
        <div className="packet-place">
          <PacketCard packetId={message.packet_id} greeting={message.content} />
        </div>
      )}
      {message.poll !== undefined && <PollCard message={message} poll={message.poll} />}
      {message.packet_id === null && message.poll === undefined && message.content !== "" && (
        <MessageText
          message={message}
          isSource={isSource}
          isGrowing={isGrowing}
          isFolded={isFolded}
          end={message.edited_at === null ? null : EDITED}
        />
      )}
      {isFolded && (
        <ShowAll
          isStop={isStop}
          onOpen={() => {
            unfolded.add(id);
            open(true);
          }}
        />
      )}
      {message.activity !== undefined && <ActivityLine acts={message.activity} isGrowing={isGrowing} />}
      {(message.previews?.[0] || message.content.includes(`${location.origin}/#/c/`)) && <Linked message={message} />}
      {message.files.length > 0 && <MessageFiles files={message.files} channelId={message.channel_id} />}
      {message.components !== undefined && <InteractiveCard message={message} />}
    </>
  );
}
