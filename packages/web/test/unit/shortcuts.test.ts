import { expect, test } from "bun:test";
import type { Channel } from "@parley/protocol/models";
import { adjacentChannel, groupsOf } from "../../src/model/channel-groups.ts";
import { keyNames } from "../../src/navigation/key-names.ts";
import { isShortcut, MESSAGE_ACTS, SHORTCUTS, type ShortcutName } from "../../src/ui/shortcuts.ts";

const NONE = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };
const press = (key: string, more: Partial<typeof NONE> = {}) => ({ ...NONE, key, ...more });
const named = (event: ReturnType<typeof press>): string[] =>
  (Object.keys(SHORTCUTS) as ShortcutName[]).filter((name) => isShortcut(event, name));

test("a shortcut needs its modifiers and no others, whatever the layout needs for a sign", () => {
  expect(named(press("k", { ctrlKey: true }))).toEqual(["switcher"]);
  expect(named(press("K", { metaKey: true }))).toEqual(["switcher"]);
  expect(named(press("F", { ctrlKey: true, shiftKey: true }))).toEqual(["search"]);
  expect(named(press("k"))).toEqual(["previousEntry"]);
  expect(named(press("k", { ctrlKey: true, altKey: true }))).toEqual([]);
  expect(named(press("?", { shiftKey: true }))).toEqual(["help"]);
  expect(named(press("/", { ctrlKey: true, shiftKey: true }))).toEqual(["help"]);
  expect(named(press("ArrowUp", { altKey: true }))).toEqual(["previousChannel"]);
  expect(named(press("ArrowUp", { altKey: true, shiftKey: true }))).toEqual(["previousUnread"]);
  expect(named(press("ArrowUp"))).toEqual(["previousMessage", "editLast", "previousEntry"]);
  expect(named(press("s", { ctrlKey: true }))).toEqual([]);
});

test("in one place, no combination has two meanings", () => {
  const all = Object.values(SHORTCUTS).flatMap(({ where, combinations }) =>
    combinations.map((each) => `${where} ${JSON.stringify(each)}`),
  );
  expect(new Set(all).size).toBe(all.length);
});

test("a key on a message acts on it, or moves the focus, or undoes", () => {
  const names = (Object.keys(SHORTCUTS) as ShortcutName[]).filter((name) => SHORTCUTS[name].where === "message");
  const others = names.filter((name) => !MESSAGE_ACTS.some((act) => act === name));
  expect(others).toEqual(["previousMessage", "nextMessage", "undoDelete"]);
  expect(MESSAGE_ACTS.filter((act) => !names.includes(act))).toEqual([]);
});

test("keys are named as on the keyboard", () => {
  expect(keyNames({ key: "ArrowUp", alt: true, shift: true }, false)).toEqual(["Alt", "Shift", "↑"]);
  expect(keyNames({ key: "k", mod: true }, true)).toEqual(["⌘", "K"]);
  expect(keyNames({ key: "Escape" }, false)).toEqual(["Esc"]);
});

const channel = (id: number, more: Partial<Channel> = {}): Channel =>
  ({ id, name: `c${id}`, direct_with: null, is_direct: false, my_role: "member", unread_count: 0, ...more }) as Channel;

test("the next channel is the next one of the user's own in the sidebar, and after the last the first", () => {
  const grouped = (channels: readonly Channel[], isGuest = false) =>
    groupsOf({ channels, sidebar: { sorting: "name", channels: {} }, activity: [], isGuest, language: "en" });
  const groups = grouped([
    channel(1),
    channel(2, { is_direct: true, unread_count: 3 }),
    channel(3, { my_role: null }),
    channel(4),
  ]);
  expect(groups.map(({ channels }) => channels.map(({ id }) => id))).toEqual([[1, 4], [2], [3]]);
  const next = (current: number | undefined, step: -1 | 1, unread = false) =>
    adjacentChannel(groups, current, step, unread)?.id;
  expect([next(1, 1), next(4, 1), next(2, 1)]).toEqual([4, 2, 1]);
  expect([next(1, -1), next(4, -1)]).toEqual([2, 1]);
  expect([next(3, 1), next(undefined, -1)]).toEqual([1, 2]);
  expect([next(1, 1, true), next(1, -1, true), next(2, 1, true)]).toEqual([2, 2, undefined]);
  expect(grouped([channel(3, { my_role: null })], true)[0]?.channels).toHaveLength(1);
});

test("without channels there is no next one", () => {
  expect(adjacentChannel([], undefined, -1, false)).toBeUndefined();
});
