import { useContext, useEffect, useState } from "react";
import { MessageFiles } from "../files/message-files.tsx";
import { loadErrorTexts } from "../i18n/error-texts.ts";
import { LanguageContext, useTexts } from "../i18n/use-texts.ts";
import { MessageText } from "../markdown/message-text.tsx";
import type { Conversation } from "../model/conversation.ts";
import type { PendingMessage } from "../model/pending-message.ts";
import { Avatar, Name } from "../people/avatar.tsx";
import { useParley, useSelf } from "../session/parley-context.ts";
import { useStore } from "../state/store.ts";
import { StickerImage } from "./sticker-image.tsx";

/** The user's own message while it is being sent, or after it was refused. */
export function PendingRow({ sending, channelSession }: { sending: PendingMessage; channelSession: Conversation }) {
  const { messages: texts, app, errorMessage } = useTexts();
  useErrorTexts();
  const self = useSelf() ?? "";
  // Without a connection the message waits, and the user can discard it.
  const isStuck = useStore(useParley().connection) !== "live";
  const { key, content, sticker, files, error } = sending;
  const discard = (
    <button type="button" className="link" onClick={() => channelSession.pendingMessages.settle(key)}>
      {texts.discard}
    </button>
  );
  return (
    <article className={error === null ? "message pending" : "message pending failed"} aria-label={texts.sending}>
      <Avatar name={self} isAgent={false} />
      <header className="head">
        <Name name={self} />
        {error === null && <span className="mark">{texts.sending}</span>}
        {error === null && isStuck && discard}
      </header>
      <div className="message-body">
        {sticker !== null && <StickerImage sticker={sticker} />}
        {content !== "" && <MessageText message={{ content, mentions: [] }} />}
        {files.length > 0 && <MessageFiles files={files} />}
        {error !== null && (
          <p className="status" role="alert">
            {texts.notSent(errorMessage(error))}{" "}
            <button type="button" className="link" onClick={() => channelSession.pendingMessages.retry(key)}>
              {app.retry}
            </button>{" "}
            {discard}
          </p>
        )}
      </div>
    </article>
  );
}

/** Renders again when the texts of errors are loaded: a message that failed may be from before the page was loaded. */
function useErrorTexts(): void {
  const language = useContext(LanguageContext);
  const [, setLoaded] = useState(false);
  useEffect(() => void loadErrorTexts(language).then(() => setLoaded(true)), [language]);
}
