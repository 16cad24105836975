import type { ChatMessage } from "@parley/protocol/models";
import { useLayoutEffect, useRef } from "react";
import { EmojiPicker } from "../emoji/emoji-picker.tsx";
import { reactionIn } from "../emoji/server-emoji.ts";
import { useTexts } from "../i18n/use-texts.ts";
import type { Conversation } from "../model/conversation.ts";
import { senderInText } from "../model/sender.ts";
import { useParley, useSelf } from "../session/parley-context.ts";
import { LikeIcon, MoreIcon, ReplyIcon, SmileIcon, ThreadIcon } from "../ui/icons.tsx";
import { Popover } from "../ui/popover.tsx";
import { ACTS } from "./message-acts.ts";
import { MessageMenu } from "./message-menu.tsx";
import { pictureOf } from "./reaction-picture.ts";
import { useReact } from "./reactions.tsx";

interface Props {
  message: ChatMessage;
  channelSession: Conversation;
}

/**
 * The toolbar of a message. A mouse finds it over the corner of the message. For a finger, which would hide and press
 * it, it is above the message, or below if there is no room.
 */
export function MessageActions({ message, channelSession }: Props) {
  const { messages: texts, app, threads } = useTexts();
  const self = useSelf();
  const react = useReact();
  const acting = { parley: useParley(), message, self, channelSession };
  const toolbar = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const { current } = toolbar;
    const message = current?.closest(".message")?.getBoundingClientRect();
    const list = current?.closest(".scroller")?.getBoundingClientRect();
    if (current === null || message === undefined || list === undefined) return;
    current.classList.toggle("below", message.top - current.offsetHeight < list.top);
  }, []);
  return (
    <div ref={toolbar} className="actions" role="toolbar" aria-label={texts.actions(senderInText(message))}>
      {self !== null && (
        <>
          <button
            type="button"
            className="icon-button"
            aria-label={texts.reactWith(pictureOf("like"))}
            title={texts.reactWith(pictureOf("like"))}
            onClick={() => react(message, "like")}
          >
            <LikeIcon />
          </button>
          <Popover label={texts.react} className="icon-button react-opener" button={<SmileIcon />}>
            {(close) => (
              <EmojiPicker
                label={texts.reactWith}
                onPick={(emoji) => {
                  close();
                  react(message, reactionIn(emoji));
                }}
              />
            )}
          </Popover>
          <button
            type="button"
            className="icon-button"
            aria-label={texts.reply}
            title={texts.reply}
            onClick={() => ACTS.reply.start(acting)}
          >
            <ReplyIcon />
          </button>
          {channelSession.rootId === null && (
            <button
              type="button"
              className="icon-button"
              aria-label={threads.reply}
              title={threads.reply}
              onClick={() => ACTS.thread.start(acting)}
            >
              <ThreadIcon />
            </button>
          )}
        </>
      )}
      <Popover label={app.more} button={<MoreIcon />}>
        {(close) => <MessageMenu message={message} channelSession={channelSession} close={close} />}
      </Popover>
    </div>
  );
}
