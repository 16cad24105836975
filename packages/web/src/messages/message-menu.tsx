import type { ChatMessage } from "@parley/protocol/models";
import type { ReactNode } from "react";
import { useTexts } from "../i18n/use-texts.ts";
import type { ChannelSession } from "../model/channel-session.ts";
import { senderOf } from "../model/sender.ts";
import { BlockButton } from "../people/block-button.tsx";
import { useParley, useSelf } from "../session/parley-context.ts";
import { hrefOf } from "../state/route.ts";
import { useStore } from "../state/store.ts";

interface Props {
  message: ChatMessage;
  channelSession: ChannelSession;
  close(): void;
  children?: ReactNode;
}

/** The list of everything else that can be done with a message; `children` come first. */
export function MessageMenu({ message, channelSession, close, children }: Props) {
  const parley = useParley();
  const self = useSelf();
  const { messages: texts, markdown } = useTexts();
  const { source } = channelSession.composeState;
  const isSource = useStore(source) === message.id;
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
      {children}
      {isOwn && message.type === "text" && (
        <button
          type="button"
          onClick={() => {
            close();
            channelSession.composeState.edit(message.id, false);
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
      {message.content !== "" && (
        <button
          type="button"
          onClick={() => {
            close();
            source.set(isSource ? null : message.id);
          }}
        >
          {isSource ? markdown.showFormatted : markdown.showSource}
        </button>
      )}
      {self !== null && !isOwn && (
        <button
          type="button"
          onClick={() => {
            close();
            parley.openDialog.set({ window: "report", message });
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
