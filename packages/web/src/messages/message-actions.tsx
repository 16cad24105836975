import type { ChatMessage } from "@parley/protocol/models";
import { useState } from "react";
import { useTexts } from "../i18n/use-texts.ts";
import type { ChannelSession } from "../model/channel-session.ts";
import { senderOf } from "../model/sender.ts";
import { BlockButton } from "../people/block-button.tsx";
import { useParley, useSelf } from "../session/parley-context.ts";
import { hrefOf } from "../state/route.ts";
import { useStore } from "../state/store.ts";
import { DialogBoundary } from "../ui/dialog-boundary.tsx";
import { EmojiGrid } from "../ui/emoji.tsx";
import { LikeIcon, MoreIcon, ReplyIcon, SmileIcon } from "../ui/icons.tsx";
import { Popover } from "../ui/popover.tsx";
import { useReact } from "./reactions.tsx";
import { ReportDialog } from "./report-dialog.tsx";

interface Props {
  message: ChatMessage;
  channelSession: ChannelSession;
}

/** The toolbar of a message. */
export function MessageActions({ message, channelSession }: Props) {
  const { messages: texts, app } = useTexts();
  const self = useSelf();
  const react = useReact();
  const [isReporting, setReporting] = useState(false);
  return (
    <div className="actions" role="toolbar" aria-label={texts.actions(senderOf(message))}>
      {self !== null && (
        <>
          <button
            type="button"
            className="icon-button"
            aria-label={texts.reactWith(texts.like)}
            title={texts.like}
            onClick={() => react(message, "like")}
          >
            <LikeIcon />
          </button>
          <Popover label={texts.react} button={<SmileIcon />}>
            {(close) => (
              <EmojiGrid
                label={texts.reactWith}
                onPick={(emoji) => {
                  close();
                  react(message, emoji);
                }}
              />
            )}
          </Popover>
          <button
            type="button"
            className="icon-button"
            aria-label={texts.reply}
            title={texts.reply}
            onClick={() => channelSession.composeState.replyTo.set(message)}
          >
            <ReplyIcon />
          </button>
        </>
      )}
      <Popover label={app.more} button={<MoreIcon />}>
        {(close) => (
          <MoreActions
            message={message}
            channelSession={channelSession}
            close={close}
            onReport={() => setReporting(true)}
          />
        )}
      </Popover>
      {isReporting && (
        <DialogBoundary onClose={() => setReporting(false)}>
          <ReportDialog message={message} onClose={() => setReporting(false)} />
        </DialogBoundary>
      )}
    </div>
  );
}

function MoreActions({ message, channelSession, close, onReport }: Props & { close(): void; onReport(): void }) {
  const parley = useParley();
  const self = useSelf();
  const { messages: texts } = useTexts();
  const session = useStore(parley.session);
  const level = session.state === "user" ? (session.user.admin_level ?? 0) : 0;
  const isOwn = self !== null && message.username === self;
  const { channels } = useStore(parley.channels.view);
  const channel = channels.find(({ id }) => id === message.channel_id);
  const manages = channel?.my_role === "owner" || channel?.my_role === "admin" || level >= 1;
  const mayPin = manages || (channel?.pin_policy === "members" && channel.my_role !== null);
  const action = (what: () => Promise<unknown>) => () => {
    close();
    what().catch((error: unknown) => parley.showError(error));
  };
  const link = `${location.origin}/${hrefOf({ page: "channel", slug: message.channel_slug, messageId: message.id })}`;
  return (
    <div className="menu">
      {isOwn && message.type === "text" && (
        <button
          type="button"
          onClick={() => {
            close();
            channelSession.composeState.editing.set(message.id);
          }}
        >
          {texts.edit}
        </button>
      )}
      {mayPin && (
        <button
          type="button"
          onClick={action(() =>
            message.is_pinned ? parley.client.messages.unpin(message.id) : parley.client.messages.pin(message.id),
          )}
        >
          {message.is_pinned ? texts.unpin : texts.pin}
        </button>
      )}
      <button
        type="button"
        onClick={action(async () => {
          await navigator.clipboard.writeText(link);
          parley.notices.say(texts.copied);
        })}
      >
        {texts.link}
      </button>
      {self !== null && !isOwn && (
        <button
          type="button"
          onClick={() => {
            close();
            onReport();
          }}
        >
          {texts.report}
        </button>
      )}
      {self !== null && !isOwn && message.sender_type !== "system" && (
        <BlockButton kind={message.sender_type} name={senderOf(message)} onPress={close} />
      )}
      {(isOwn || manages) && (
        <button
          type="button"
          className="danger"
          onClick={action(async () => {
            const { deleteSure: text, delete: action } = texts;
            const isConfirmed = await parley.confirm.ask({ title: texts.deleteTitle, text, action });
            // The pressed button may have disappeared when the pointer moved, so return the focus to the message.
            document.querySelector<HTMLElement>(`[data-id="${message.id}"]`)?.focus();
            if (isConfirmed) await parley.live.command("message:delete", { message_id: message.id });
          })}
        >
          {texts.delete}
        </button>
      )}
    </div>
  );
}
