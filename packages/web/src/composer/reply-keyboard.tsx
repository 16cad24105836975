import type { Channel } from "@parley/protocol/models";
import { useEffect, useMemo, useState } from "react";
import { useCardTexts } from "../i18n/hooks/use-card-texts.ts";
import type { Conversation } from "../model/conversation.ts";
import { useSelf } from "../session/parley-context.ts";
import { useStore } from "../state/store.ts";
import { keyboardFor } from "./keyboard-for.ts";
import type { Field } from "./use-draft-field.ts";
import { useOlderKeyboard } from "./use-older-keyboard.ts";

interface Props {
  channelSession: Conversation;
  channel: Channel;
  field: Pick<Field, "ref">;
  /** Called with what the empty field says; null: what it usually says. */
  setHint(hint: string | null): void;
}

/**
 * A bot's buttons above the composer, which send their own text. In a channel they answer the bot's message, because a bot
 * reads only what is for it. Nothing is shown while the reader looks at older messages.
 */
export function ReplyKeyboard({ channelSession, channel, field, setHint }: Props) {
  const { menu: texts } = useCardTexts();
  const self = useSelf();
  const { messages, hasNewer } = useStore(channelSession.view);
  const older = useOlderKeyboard(channelSession, channel);
  const found = useMemo(() => {
    if (hasNewer) return null;
    const isLoaded = older === null || messages.some(({ id }) => id === older.id);
    return keyboardFor(isLoaded ? messages : [older, ...messages], self);
  }, [messages, hasNewer, self, older]);
  /** The message whose keyboard was for one use, until the sent text has arrived. */
  const [usedId, setUsedId] = useState<number | null>(null);
  const shown = found?.message.id === usedId ? null : found;
  const hint = shown?.keyboard.placeholder ?? null;
  useEffect(() => {
    setHint(hint);
    return () => setHint(null);
  }, [hint, setHint]);
  if (shown === null) return null;
  const { keyboard, message } = shown;
  const press = (content: string) => {
    const replyToId = channel.is_direct ? null : message.id;
    const place = {
      replyToId,
      threadRootId: channelSession.rootId,
      alsoInChannel: false,
      expiresIn: null,
      linkPreviews: true,
    };
    channelSession.pendingMessages.send({ content, sticker: null, files: [], ...place });
    channelSession.scrollTo(null);
    if (!keyboard.one_time) return;
    setUsedId(message.id);
    // The button is gone.
    field.ref.current?.focus();
  };
  return (
    <fieldset className="bot-menu reply-keyboard" aria-label={texts.keyboard(message.agent_name ?? "")}>
      {keyboard.rows.map((row, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: A keyboard never changes.
        <div key={at} className="bot-menu-row">
          {row.map((text, column) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: Two buttons may have one text.
            <button key={column} type="button" onClick={() => press(text)}>
              <bdi>{text}</bdi>
            </button>
          ))}
        </div>
      ))}
    </fieldset>
  );
}
