import { type KeyboardEvent, useCallback, useEffect, useState } from "react";
import type { ChannelSession } from "../model/channel-session.ts";
import { senderOf } from "../model/sender.ts";
import { type Candidate, complete, type MentionQuery, matchCandidates, mentionAt } from "./completion.ts";
import type { Field } from "./use-draft-field.ts";

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

/** Returns who can be mentioned here: users online, then recent senders, then all other members. */
function candidatesIn(channelSession: ChannelSession, self: string | null): Candidate[] {
  const online = channelSession.people.get().users;
  const spoke = channelSession.view
    .get()
    .messages.toReversed()
    .flatMap((message): Candidate[] =>
      message.sender_type === "system" ? [] : [{ kind: message.sender_type, name: senderOf(message) }],
    );
  return [...online, ...spoke, ...channelSession.members.all.get()].filter(({ name }) => name !== self);
}

/** Completes names after an `@` in the field. */
export function useCompletion(
  channelSession: ChannelSession,
  self: string | null,
  { ref, put }: Pick<Field, "ref" | "put">,
): Completion {
  const [shown, setShown] = useState<Shown | null>(null);
  const close = () => setShown(null);
  const take = (field: HTMLTextAreaElement, name: string) => {
    if (shown === null) return;
    const completed = complete(field.value, shown.typed, field.selectionStart, name);
    put(completed.text, completed.caret);
    close();
  };
  const update = useCallback(
    (field: HTMLTextAreaElement) => {
      const typed = mentionAt(field.value, field.selectionStart);
      if (typed !== null) void channelSession.members.load();
      const choices = typed === null ? [] : matchCandidates(typed.query, candidatesIn(channelSession, self));
      setShown(typed === null || choices.length === 0 ? null : { typed, choices, at: 0 });
    },
    [channelSession, self],
  );
  useEffect(
    () =>
      channelSession.members.all.subscribe(() => {
        if (ref.current !== null && ref.current === document.activeElement) update(ref.current);
      }),
    [channelSession, ref, update],
  );
  return {
    shown,
    close,
    take,
    update,
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
