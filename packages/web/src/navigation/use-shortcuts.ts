import { useEffect } from "react";
import { adjacentChannel } from "../model/channel-groups.ts";
import { listedGroups } from "../session/listed-groups.ts";
import type { Parley } from "../session/parley.ts";
import { useParley } from "../session/parley-context.ts";
import { CATCH_UP_HREF, channelHref } from "../state/route.ts";
import { isShortcut, type ShortcutName } from "../ui/shortcuts.ts";

/** Elements that take typed text themselves. */
const FIELDS = "input, textarea, select, [contenteditable]";
/** The keyCode of a key that an input method handles. */
const TAKEN_BY_METHOD = 229;
const COMPOSER = "#text";
const THREAD = ".side.thread";
/** The button in the channel's header. */
const SEARCH = "#open-search";

/** Handles the shortcuts of the whole page while it shows the chat, and sends what is typed anywhere to the composer. */
export function useShortcuts(isChat: boolean): void {
  const parley = useParley();
  useEffect(() => {
    if (!isChat) return;
    const keyed = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || event.keyCode === TAKEN_BY_METHOD) return;
      if (document.querySelector("dialog[open], :popover-open") !== null) return;
      const act = actionOf(parley, event);
      if (act !== undefined) {
        event.preventDefault();
        act();
      } else if (isTyped(event)) composerFor(event)?.focus();
    };
    addEventListener("keydown", keyed);
    return () => removeEventListener("keydown", keyed);
  }, [parley, isChat]);
}

/** Returns the text field of the conversation that has the focus, or else the channel's. */
const composerFor = ({ target }: KeyboardEvent): HTMLElement | null =>
  (target instanceof Element ? target.closest(THREAD) : null)?.querySelector<HTMLElement>("textarea") ??
  document.querySelector<HTMLElement>(COMPOSER);

/** Returns what the shortcut does that was pressed, if it was one and applies where the focus is. */
function actionOf(parley: Parley, event: KeyboardEvent): (() => void) | undefined {
  const go = (step: -1 | 1, onlyUnread: boolean) => () => {
    const channel = adjacentChannel(listedGroups(parley), parley.channelAt(parley.route.get())?.id, step, onlyUnread);
    if (channel !== undefined) location.hash = channelHref(channel.channel_slug);
  };
  const actions: Partial<Record<ShortcutName, () => void>> = {
    switcher: () => parley.openDialog.set({ window: "switcher" }),
    catchUp: () => {
      location.hash = CATCH_UP_HREF;
    },
    search: openSearch,
    previousChannel: go(-1, false),
    nextChannel: go(1, false),
    previousUnread: go(-1, true),
    nextUnread: go(1, true),
    ...(event.key === "?" && isInField(event) ? {} : { help: () => parley.openDialog.set({ window: "shortcuts" }) }),
    ...(mayLeave(event) ? { leave: () => markAllRead(parley) } : {}),
  };
  const name = (Object.keys(actions) as ShortcutName[]).find((each) => isShortcut(event, each));
  return name === undefined ? undefined : actions[name];
}

/** Opens the search of the channel, or returns to its field. */
function openSearch(): void {
  const field = document.querySelector<HTMLElement>("aside [type=search]");
  if (field !== null) field.focus();
  else document.querySelector<HTMLElement>(SEARCH)?.click();
}

const isInField = ({ target }: KeyboardEvent): boolean => target instanceof Element && target.closest(FIELDS) !== null;

/** True where Escape has nothing else to close: on the page, a message, and an empty composer without a reply. */
function mayLeave({ target }: KeyboardEvent): boolean {
  if (document.querySelector("[data-menu=open], .reply-line, .completions") !== null) return false;
  if (target instanceof HTMLTextAreaElement) return target.matches(COMPOSER) && target.value === "";
  return target === document.body || (target instanceof Element && target.matches(`.message:not(${THREAD} *)`));
}

function markAllRead(parley: Parley): void {
  const channel = parley.channelAt(parley.route.get());
  if (channel === undefined) return;
  parley.reading.markRead(channel.id, channel.last_seq);
  if ((channel.unread_count ?? 0) > 0) parley.channelSession(channel.id).scrollTo(null);
}

/** True if the key types a character outside of a field. The space bar scrolls and presses. */
const isTyped = (event: KeyboardEvent): boolean =>
  [...event.key].length === 1 &&
  event.key !== " " &&
  !event.ctrlKey &&
  !event.metaKey &&
  !event.altKey &&
  !isInField(event);
