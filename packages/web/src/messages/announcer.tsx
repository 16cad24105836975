import { useEffect, useState } from "react";
import { useTexts } from "../app/parley-context.ts";
import { useStore } from "../app/store.ts";
import type { Room } from "./room.ts";
import { senderOf } from "./rows.ts";

/** Nobody hears more than so much at once. */
const SAID = 200;

/** Reads arrivals to those who hear the page. The list itself draws only what is in sight, so it would be read at every scrolling. */
export function Announcer({ room }: { room: Room }) {
  const texts = useTexts();
  const message = useStore(room.arrived);
  const [said, setSaid] = useState("");
  useEffect(() => {
    if (message === null) return;
    // Of a flood only what stands for a moment is told.
    const timer = setTimeout(() => {
      const text =
        message.sticker === null
          ? message.content.slice(0, SAID)
          : texts.messages.sticker(message.sticker.sticker_name);
      setSaid(texts.messages.arrived(senderOf(message), text));
    }, 300);
    return () => clearTimeout(timer);
  }, [message, texts]);
  return (
    <p className="unseen" aria-live="polite">
      {said}
    </p>
  );
}
