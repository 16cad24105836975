import type { ChatMessage } from "@parley/protocol/models";
import { memo } from "react";
import { useSelf } from "../session/parley-context.ts";
import { parseMessage } from "./message-parser.ts";
import { languageOf } from "./text-language.ts";

/** A message of only one to three emoji is shown large. */
const EMOJI_ALONE = /^(?:\p{RGI_Emoji}\s*){1,3}$/v;

/** A message's text. It is rendered as React text nodes only; the page never generates HTML from it. */
export const MessageText = memo(function MessageText({
  message,
}: {
  message: Pick<ChatMessage, "content" | "mentions">;
}) {
  const self = useSelf();
  const { content } = message;
  const isLarge = content.length < 40 && EMOJI_ALONE.test(content);
  return (
    <div className={isLarge ? "body large" : "body"} dir="auto" lang={languageOf(content)}>
      {parseMessage(message).map((part, n) => {
        // The text of a message changes only as a whole, so the index identifies a part.
        const key = n;
        if (part.kind === "text") return part.text;
        if (part.kind === "code") {
          return part.isBlock ? (
            <code key={key} className="block" dir="ltr" translate="no">
              {part.text}
            </code>
          ) : (
            <code key={key} translate="no">
              {part.text}
            </code>
          );
        }
        if (part.kind === "link") {
          return (
            <a key={key} href={part.href} target="_blank" rel="noopener noreferrer nofollow ugc">
              {part.text}
            </a>
          );
        }
        const isMe = self !== null && part.name.toLowerCase() === self.toLowerCase();
        return (
          <bdi key={key} className={isMe ? "mention me" : "mention"}>
            {part.text}
          </bdi>
        );
      })}
    </div>
  );
});
