import { type KeyboardEvent, useState } from "react";
import type { ChannelSession } from "../model/channel-session.ts";
import { senderOf } from "../model/sender.ts";
import { type Candidate, complete, type MentionQuery, matchCandidates, mentionAt } from "./completion.ts";

interface Shown {
  typed: MentionQuery;
  choices: readonly Candidate[];
  at: number;
}

export interface Completion {
  shown: Shown | null;
  /** Call it when the text or the caret has changed. */
  update(field: HTMLTextAreaElement): void;
  close(): void;
  /** Inserts a name. */
  take(field: HTMLTextAreaElement, name: string): void;
  /** Returns true if the list handled the key. */
  keyed(event: KeyboardEvent<HTMLTextAreaElement>): boolean;
}

/** Returns who can be mentioned here: users online, then recent senders. */
function candidatesIn(channelSession: ChannelSession, self: string | null): Candidate[] {
  const online = channelSession.people.get().users;
  const spoke = channelSession.view
    .get()
    .messages.toReversed()
    .flatMap((message): Candidate[] =>
      message.sender_type === "system" ? [] : [{ kind: message.sender_type, name: senderOf(message) }],
    );
  return [...online, ...spoke].filter(({ name }) => name !== self);
}

/** Completes names after an `@`. `put` writes into the field. */
export function useCompletion(
  channelSession: ChannelSession,
  self: string | null,
  put: (text: string, caret: number) => void,
): Completion {
  const [shown, setShown] = useState<Shown | null>(null);
  const close = () => setShown(null);
  const take = (field: HTMLTextAreaElement, name: string) => {
    if (shown === null) return;
    const completed = complete(field.value, shown.typed, field.selectionStart, name);
    put(completed.text, completed.caret);
    close();
  };
  return {
    shown,
    close,
    take,
    update(field) {
      const typed = mentionAt(field.value, field.selectionStart);
      const choices = typed === null ? [] : matchCandidates(typed.query, candidatesIn(channelSession, self));
      setShown(typed === null || choices.length === 0 ? null : { typed, choices, at: 0 });
    },
    keyed(event) {
      if (shown === null) return false;
      const { choices, at } = shown;
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step !== undefined) setShown({ ...shown, at: (at + step + choices.length) % choices.length });
      else if (event.key === "Enter" || event.key === "Tab") take(event.currentTarget, choices[at]?.name ?? "");
      else if (event.key === "Escape") close();
      else return false;
      event.preventDefault();
      return true;
    },
  };
}
