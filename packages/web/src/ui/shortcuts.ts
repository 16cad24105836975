/** A key with the modifiers that it needs, and no others. `mod` is Ctrl, or Cmd on a Mac. */
export interface Combination {
  key: string;
  mod?: boolean;
  alt?: boolean;
  shift?: boolean;
}

interface Shortcut {
  /** Where it acts: anywhere on the page, on the focused message, in the composer, or on the page of what is unread. */
  where: "page" | "message" | "composer" | "catchUp";
  /** Any of them. */
  combinations: readonly [Combination, ...Combination[]];
  /** It acts on the focused message (`messages/message-acts.ts`). */
  isAct?: true;
}

/** All keyboard shortcuts of the chat, in the order of the help. The handlers and the help read this table. */
export const SHORTCUTS = {
  switcher: { where: "page", combinations: [{ key: "k", mod: true }] },
  catchUp: { where: "page", combinations: [{ key: "j", mod: true }] },
  search: { where: "page", combinations: [{ key: "f", mod: true, shift: true }] },
  help: { where: "page", combinations: [{ key: "?" }, { key: "/", mod: true }] },
  previousChannel: { where: "page", combinations: [{ key: "ArrowUp", alt: true }] },
  nextChannel: { where: "page", combinations: [{ key: "ArrowDown", alt: true }] },
  previousUnread: { where: "page", combinations: [{ key: "ArrowUp", alt: true, shift: true }] },
  nextUnread: { where: "page", combinations: [{ key: "ArrowDown", alt: true, shift: true }] },
  leave: { where: "page", combinations: [{ key: "Escape" }] },
  previousMessage: { where: "message", combinations: [{ key: "ArrowUp" }] },
  nextMessage: { where: "message", combinations: [{ key: "ArrowDown" }] },
  reply: { where: "message", combinations: [{ key: "r" }], isAct: true },
  react: { where: "message", combinations: [{ key: "+" }], isAct: true },
  edit: { where: "message", combinations: [{ key: "e" }], isAct: true },
  source: { where: "message", combinations: [{ key: "s" }], isAct: true },
  thread: { where: "message", combinations: [{ key: "t" }], isAct: true },
  unread: { where: "message", combinations: [{ key: "u" }], isAct: true },
  save: { where: "message", combinations: [{ key: "b" }], isAct: true },
  forward: { where: "message", combinations: [{ key: "f" }], isAct: true },
  remind: { where: "message", combinations: [{ key: "m" }], isAct: true },
  undoDelete: { where: "message", combinations: [{ key: "z", mod: true }] },
  author: { where: "message", combinations: [{ key: "c" }], isAct: true },
  send: { where: "composer", combinations: [{ key: "Enter" }] },
  sendAlways: { where: "composer", combinations: [{ key: "Enter", mod: true }] },
  breakLine: { where: "composer", combinations: [{ key: "Enter", shift: true }] },
  bold: { where: "composer", combinations: [{ key: "b", mod: true }] },
  italic: { where: "composer", combinations: [{ key: "i", mod: true }] },
  editLast: { where: "composer", combinations: [{ key: "ArrowUp" }] },
  nextEntry: { where: "catchUp", combinations: [{ key: "j" }, { key: "ArrowDown" }] },
  previousEntry: { where: "catchUp", combinations: [{ key: "k" }, { key: "ArrowUp" }] },
  openEntry: { where: "catchUp", combinations: [{ key: "Enter" }] },
  done: { where: "catchUp", combinations: [{ key: "e" }] },
  undo: {
    where: "catchUp",
    combinations: [{ key: "u" }, { key: "z", mod: true }],
  },
  allRead: { where: "catchUp", combinations: [{ key: "e", shift: true }] },
} as const satisfies Record<string, Shortcut>;

export type ShortcutName = keyof typeof SHORTCUTS;

/** An act on the focused message. */
export type MessageAct = {
  [Name in ShortcutName]: (typeof SHORTCUTS)[Name] extends { isAct: true } ? Name : never;
}[ShortcutName];

export const MESSAGE_ACTS = (Object.keys(SHORTCUTS) as ShortcutName[]).filter(
  (name): name is MessageAct => "isAct" in SHORTCUTS[name],
);

/** The part of a keyboard event that matters here, the browser's or React's. */
interface Pressed {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
}

/** True if the event is one of the shortcut's combinations. */
export function isShortcut(event: Pressed, name: ShortcutName): boolean {
  return SHORTCUTS[name].combinations.some((each) => isPressed(event, each));
}

function isPressed(event: Pressed, { key, mod = false, alt = false, shift = false }: Combination): boolean {
  const isMod = event.ctrlKey || event.metaKey;
  // Layouts differ in how a sign is typed: `/` and `?` may need Shift or not.
  const isSign = /^[^\p{L}\p{N}]$/u.test(key);
  return (
    event.key.toLowerCase() === key.toLowerCase() &&
    isMod === mod &&
    event.altKey === alt &&
    (isSign || event.shiftKey === shift)
  );
}
