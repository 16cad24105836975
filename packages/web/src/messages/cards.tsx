import type { ChatMessage } from "@parley/protocol/models";
import { type ReactNode, useMemo } from "react";
import { MentionContext } from "../markdown/elements.tsx";
import { actorOf } from "../model/sender.ts";
import { CardOpener } from "../people/card-opener.tsx";
import type { OpenCard } from "../session/open-dialog.ts";
import { useParley } from "../session/parley-context.ts";

/** Returns the card of a message's sender; null for messages of the system and of webhooks. */
export function cardOf(message: ChatMessage): OpenCard | null {
  const actor = actorOf(message);
  if (actor === null) return null;
  const card = { ...actor, channelId: message.channel_id, anchor: null };
  return message.is_deleted ? card : { ...card, message };
}

interface Props {
  message: ChatMessage;
  isStop: boolean;
  children: ReactNode;
}

/** The sender's name or picture, which opens their card. */
export function Sender({ message, isStop, isPicture = false, children }: Props & { isPicture?: boolean }) {
  const card = cardOf(message);
  if (card === null) return children;
  return (
    <CardOpener card={card} isStop={isStop} isPicture={isPicture}>
      {children}
    </CardOpener>
  );
}

/** Lets the mentions in a message open the cards of whom they name. */
export function MentionCards({ message, isStop, children }: Props) {
  const parley = useParley();
  const { mentions, channel_id: channelId } = message;
  const press = useMemo(
    () => ({
      isStop,
      open(name: string, anchor: HTMLElement) {
        const kind = mentions.find((each) => each.name === name)?.type;
        if (kind !== undefined && kind !== "here") parley.openCard.set({ kind, name, channelId, anchor });
      },
    }),
    [parley, mentions, channelId, isStop],
  );
  return <MentionContext value={press}>{children}</MentionContext>;
}
