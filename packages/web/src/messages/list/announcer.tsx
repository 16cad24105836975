import { useEffect, useState } from "react";
import { useTexts } from "../../i18n/use-texts.ts";
import type { Conversation } from "../../model/conversation.ts";
import { fileLine } from "../../model/files/file-line.ts";
import { senderInText } from "../../model/sender.ts";
import { useStore } from "../../state/store.ts";

/** Announcements are cut off after this many characters. */
const SAID = 200;

/** Announces new messages to screen readers. The list cannot do it: it renders only visible rows, so each scroll would be read out. */
export function Announcer({ channelSession }: { channelSession: Conversation }) {
  const texts = useTexts();
  const message = useStore(channelSession.arrived);
  const [announcement, setAnnouncement] = useState("");
  useEffect(() => {
    if (message === null) return;
    // In a burst of messages, only the last one is announced.
    const timer = setTimeout(() => {
      const { sticker, packet_id, content, files, components, poll } = message;
      const parts = [
        sticker === null ? "" : texts.messages.sticker(sticker.sticker_name),
        packet_id === null ? "" : texts.messages.packet,
        poll === undefined ? "" : texts.messages.poll,
        sticker === null ? content.slice(0, SAID) : "",
        fileLine(files, texts),
        components === undefined ? "" : texts.messages.card,
      ];
      const text = parts.filter((part) => part !== "").join(" ");
      setAnnouncement(texts.messages.arrived(senderInText(message), text));
    }, 300);
    return () => clearTimeout(timer);
  }, [message, texts]);
  return (
    <p className="visually-hidden" aria-live="polite">
      {announcement}
    </p>
  );
}
