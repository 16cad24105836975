import type { Channel } from "@parley/protocol/models";
import { type KeyboardEvent, useCallback, useContext, useEffect, useState } from "react";
import { LanguageContext } from "../i18n/use-texts.ts";
import type { Conversation } from "../model/conversation.ts";
import { actorOf } from "../model/sender.ts";
import type { Named } from "../model/suggested.ts";
import { useLevel, useParley } from "../session/parley-context.ts";
import { commandAt, complete, matchCandidates, matchCommands, mentionAt, type Suggestion } from "./completion.ts";
import { emojiAt } from "./emoji-completion.ts";
import type { Field } from "./use-draft-field.ts";

interface Shown {
  /** Where the typed text begins. */
  start: number;
  choices: readonly Suggestion[];
  at: number;
}

export interface Completion {
  shown: Shown | null;
  /** Call it when the text or the caret has changed. */
  update(field: HTMLTextAreaElement): void;
  close(): void;
  /** Inserts a suggestion. */
  take(field: HTMLTextAreaElement, choice: Suggestion): void;
  /** Returns true if the list handled the key. */
  keyed(event: KeyboardEvent<HTMLTextAreaElement>): boolean;
}

/** Returns who can be mentioned here: users online, then recent senders, then all other members. */
function candidatesIn(channelSession: Conversation, self: string | null): Named[] {
  const online = channelSession.people.get().users;
  const spoke = channelSession.view
    .get()
    .messages.toReversed()
    .flatMap((message): Named[] => [actorOf(message)].filter((actor) => actor !== null));
  return [...online, ...spoke, ...channelSession.suggested.members.all.get()].filter(({ name }) => name !== self);
}

/** Finds emoji. Its code loads when somebody first types a `:`. */
let emojiFinder: typeof import("./suggest-emoji.ts") | null = null;

async function loadEmojiFinder(): Promise<void> {
  emojiFinder ??= await import("./suggest-emoji.ts");
}

/** Finds channels. Its code loads when somebody first types a `#`. */
let channelFinder: typeof import("./suggest-channels.ts") | null = null;

async function loadChannelFinder(): Promise<void> {
  channelFinder ??= await import("./suggest-channels.ts");
}

/** Suggests `@here`. Its code loads when somebody first types an `@`. */
let hereFinder: typeof import("./suggest-here.ts") | null = null;

async function loadHereFinder(): Promise<void> {
  hereFinder ??= await import("./suggest-here.ts");
}

/** Completes names after an `@` in the field, emoji after a `:`, channels after a `#`, and commands after a `/` at its beginning. */
export function useCompletion(
  channelSession: Conversation,
  channel: Channel,
  self: string | null,
  { ref, put }: Pick<Field, "ref" | "put">,
): Completion {
  const language = useContext(LanguageContext);
  const parley = useParley();
  const level = useLevel();
  const [shown, setShown] = useState<Shown | null>(null);
  const close = () => setShown(null);
  const take = (field: HTMLTextAreaElement, choice: Suggestion) => {
    if (shown === null) return;
    const completed = complete(field.value, shown.start, field.selectionStart, choice);
    put(completed.text, completed.caret);
    if (choice.kind === "emoji") emojiFinder?.remember(choice);
    close();
  };
  const update = useCallback(
    (field: HTMLTextAreaElement) => {
      const { value, selectionStart: caret } = field;
      const show = (start: number, choices: readonly Suggestion[]) =>
        setShown(choices.length === 0 ? null : { start, choices, at: 0 });
      const { members, commands } = channelSession.suggested;
      const command = commandAt(value, caret);
      const mention = mentionAt(value, caret);
      const emoji = emojiAt(value, caret);
      if (command !== null) {
        void commands.load();
        return show(0, matchCommands(command, commands.all.get()));
      }
      const again = () => field === document.activeElement && update(field);
      if (mention !== null) {
        void members.load();
        // Without it nothing is suggested, and the next letter tries again.
        if (hereFinder === null) loadHereFinder().then(again, () => {});
        const { query, start } = mention;
        return show(start, [
          ...matchCandidates(query, candidatesIn(channelSession, self), parley.shownName),
          ...(hereFinder?.matchHere(query, channel, channelSession.people.get(), { self, level }) ?? []),
        ]);
      }
      // Without it nothing is suggested, and the next letter tries again.
      if (channelFinder === null && value.includes("#")) loadChannelFinder().then(again, () => {});
      const named = channelFinder?.suggestChannels(value, caret, parley.channels.view.get().channels);
      if (named != null) show(named.start, named.choices);
      else if (emoji === null) setShown(null);
      else {
        const choices = emojiFinder?.suggestEmoji(emoji, { parley, language }, again) ?? [];
        // Without it nothing is suggested, and the next letter tries again.
        if (emojiFinder === null) loadEmojiFinder().then(again, () => {});
        const [whole] = choices;
        if (!emoji.isWhole) show(emoji.start, choices);
        else if (whole !== undefined) {
          const completed = complete(value, emoji.start, caret, whole);
          put(completed.text, completed.caret);
          setShown(null);
        }
      }
    },
    [channelSession, channel, parley, self, level, language, put],
  );
  useEffect(() => {
    const again = () => {
      if (ref.current !== null && ref.current === document.activeElement) update(ref.current);
    };
    const { members, commands } = channelSession.suggested;
    const ends = [members.all.subscribe(again), commands.all.subscribe(again)];
    return () => {
      for (const end of ends) end();
    };
  }, [channelSession, ref, update]);
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
      else if (event.key === "Enter" || event.key === "Tab") {
        const choice = choices[at];
        if (choice !== undefined) take(event.currentTarget, choice);
      } else if (event.key === "Escape") close();
      else return false;
      event.preventDefault();
      return true;
    },
  };
}
