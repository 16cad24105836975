import { useSelf, useTexts } from "../app/parley-context.ts";
import { Face, Name } from "../people/face.tsx";
import { MessageText } from "./message-text.tsx";
import type { Room } from "./room.ts";
import type { Sending } from "./sends.ts";
import { StickerImage } from "./sticker-image.tsx";

/** A message of one's own on its way, or refused. */
export function SendingRow({ sending, room }: { sending: Sending; room: Room }) {
  const { messages: texts, app, reason } = useTexts();
  const self = useSelf() ?? "";
  const { key, content, sticker, error } = sending;
  return (
    <article className={error === null ? "message pending" : "message pending failed"} aria-label={texts.sending}>
      <Face name={self} isAgent={false} />
      <header className="head">
        <Name name={self} />
        {error === null && <span className="mark">{texts.sending}</span>}
      </header>
      <div className="what">
        {sticker !== null && <StickerImage sticker={sticker} />}
        {content !== "" && <MessageText message={{ content, mentions: [] }} />}
        {error !== null && (
          <p className="status" role="alert">
            {texts.notSent(reason(error))}{" "}
            <button type="button" className="link" onClick={() => room.sends.retry(key)}>
              {app.retry}
            </button>{" "}
            <button type="button" className="link" onClick={() => room.sends.settle(key)}>
              {texts.discard}
            </button>
          </p>
        )}
      </div>
    </article>
  );
}
