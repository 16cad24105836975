import type { SavedMessage } from "@parley/protocol/saved";
import type { RealtimeEvent } from "@parley/sdk";
import { Saved } from "@parley/sdk/groups";
import { useCallback } from "react";
import { momentOf } from "../i18n/date-format.ts";
import { useSavedTexts } from "../i18n/hooks/use-saved-texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import { MessageExcerpt } from "../markdown/message-text.tsx";
import { fileLine } from "../model/files/file-line.ts";
import { senderOf } from "../model/sender.ts";
import { Avatar, Name } from "../people/avatar.tsx";
import { useParley } from "../session/parley-context.ts";
import { useList } from "../session/use-list.ts";
import { useReload } from "../session/use-reload.ts";
import { messageHref } from "../state/route.ts";
import { Dialog } from "../ui/dialog.tsx";
import { ListEnd } from "../ui/list-end.tsx";
import { ErrorLine } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";

/** The messages that the user has saved, the newest first. The server decides which of them they may read now. */
export function SavedWindow({ onClose }: { onClose(): void }) {
  const { client } = useParley();
  const texts = useSavedTexts();
  const load = useCallback(
    async (before: number | undefined) => {
      const page = await client.group(Saved).list({ before });
      return { items: page.saved, next: page.next_before };
    },
    [client],
  );
  const list = useList<SavedMessage>(load);
  const { reload, items } = list;
  const isChange = useCallback(
    ({ event, data }: RealtimeEvent) => {
      const id = event === "message:delete" ? data.message_id : event === "message:update" ? data.chat_message.id : 0;
      return event === "saved:update" || items?.some(({ message_id }) => message_id === id) === true;
    },
    [items],
  );
  useReload(reload, isChange);
  return (
    <Dialog title={texts.title} onClose={onClose}>
      <ul className="message-entries saved">
        {items?.map((each) => (
          <Line key={each.saved_id} saved={each} onClose={onClose} />
        ))}
      </ul>
      <ListEnd list={list} none={texts.none} />
    </Dialog>
  );
}

function Line({ saved, onClose }: { saved: SavedMessage; onClose(): void }) {
  const { client } = useParley();
  const texts = useSavedTexts();
  const action = useAction();
  const { message_id: id, chat_message: message } = saved;
  return (
    <li>
      {message === null ? (
        <p className="message-entry muted">{texts.unavailable}</p>
      ) : (
        <Shown message={message} onClose={onClose} />
      )}
      <button
        type="button"
        className="secondary"
        aria-label={message === null ? texts.removeUnavailable : texts.removeOf(senderOf(message))}
        disabled={action.isBusy}
        onClick={() => void action.run(() => client.group(Saved).remove(id))}
      >
        {texts.remove}
      </button>
      <ErrorLine text={action.error} />
    </li>
  );
}

function Shown({ message, onClose }: { message: NonNullable<SavedMessage["chat_message"]>; onClose(): void }) {
  const texts = useTexts();
  const { sender_type: kind, sticker, content, files } = message;
  return (
    <a className="message-entry" href={messageHref(message)} onClick={onClose}>
      <span className="head">
        <Avatar name={senderOf(message)} isAgent={kind === "agent" || kind === "webhook"} isSmall />
        <Name name={senderOf(message)} isAgent={kind === "agent"} isWebhook={kind === "webhook"} />
      </span>
      <div className="excerpt">
        {sticker !== null && content === ""
          ? texts.messages.sticker(sticker.sticker_name)
          : content !== "" && <MessageExcerpt message={message} />}
        {files.length > 0 && <bdi className="muted">{fileLine(files, texts)}</bdi>}
      </div>
      <span className="muted">
        <bdi>#{message.channel_slug}</bdi> · {momentOf(message.created_at)}
      </span>
    </a>
  );
}
