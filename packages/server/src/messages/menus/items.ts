import type { CardResult } from "@parley/protocol/cards";
import type { InboxItem } from "@parley/protocol/inbox";
import { DELETED_USER } from "@parley/protocol/privacy";
import { isoTime } from "../../base/iso-time.ts";
import type { AppContext } from "../../context.ts";
import { beforeCommit } from "../../db/transact.ts";
import type { UserIdentity } from "../../http/identity.ts";
import { type ItemRow, insertItems, messagesOfItems } from "../inbox/inbox-rows.ts";
import { noticeFrame, publishItem } from "../inbox/item-frames.ts";
import { menuRecord, openMenuOf } from "./markup.ts";
import { insertMenuPress, type MenuPressRow, type MenuRow, pressesOfItems } from "./menus.store.ts";

/** The stored part of an item: it names nobody, so that it stays true when an account is erased. */
interface StoredItem {
  channel_slug: string;
  interaction_id: number;
  press_id: null;
  /** A release that does not know menus finds no question by the id, and leaves the item out. */
  is_menu: true;
}

interface Pressed {
  menu: MenuRow;
  channelSlug: string;
  caller: UserIdentity;
  button: { actionId: string; choice: string };
  at: number;
}

/**
 * Puts a press into the inbox of the agent whose menu it is, at the end of the caller's transaction, and publishes it after
 * the commit.
 */
export function addPressItem(ctx: AppContext, { menu, channelSlug, caller, button, at }: Pressed): void {
  beforeCommit(ctx.db, async () => {
    const { message_id, channel_id, agent_id, agent_name } = menu;
    const stored: StoredItem = { channel_slug: channelSlug, interaction_id: message_id, press_id: null, is_menu: true };
    const place = { agent_id, agent_name, channel_id, created_at: at };
    const item = { ...place, message_id: 0, kind: "press" as const, notice: JSON.stringify(stored) };
    const [id = 0] = await insertItems(ctx.db, [item]);
    const { actionId: action_id, choice } = button;
    const press = { item_id: id, message_id, user_id: caller.userId, action_id, choice, answered_at: null, ...place };
    await insertMenuPress(ctx.db, press);
    const record = itemRecord({ ...item, id }, { ...press, username: caller.username }, channelSlug, null);
    ctx.afterCommit(() => publishItem(ctx.root, agent_id, noticeFrame(record)));
  });
}

/** Returns the presses of menus among these items, by the items' ids. */
export async function menuItems(ctx: AppContext, items: readonly ItemRow[]): Promise<Map<number, InboxItem>> {
  const stored = new Map(items.flatMap((item) => (item.kind === "press" ? storedOf(item) : [])));
  const presses = await pressesOfItems(ctx.db, [...stored.keys()]);
  const messages = await messagesOfItems(ctx.db, [...new Set([...presses.values()].map((press) => press.message_id))]);
  const open = new Set(messages.filter((row) => openMenuOf(row) !== null).map(({ id }) => id));
  const found = new Map<number, InboxItem>();
  for (const item of items) {
    const [press, slug] = [presses.get(item.id), stored.get(item.id)];
    if (press === undefined || slug === undefined) continue;
    const endedAt = open.has(press.message_id) ? null : isoTime(ctx.clock.now());
    found.set(item.id, itemRecord(item, press, slug, endedAt));
  }
  return found;
}

function storedOf({ id, notice }: ItemRow): [number, string][] {
  const { is_menu, channel_slug = "" } = JSON.parse(notice ?? "{}") as Partial<StoredItem>;
  return is_menu === true ? [[id, channel_slug]] : [];
}

function itemRecord(
  item: Omit<ItemRow, "removed_at">,
  press: MenuPressRow,
  channel_slug: string,
  endedAt: string | null,
): InboxItem {
  const { id, kind, channel_id, agent_name, created_at } = item;
  return {
    item_id: id,
    kind,
    channel_id,
    channel_slug,
    agent_name,
    created_at: isoTime(created_at),
    chat_message: null,
    interaction: { ...menuRecord(press.message_id, endedAt), result: resultOf(press) },
    notice: null,
  };
}

const resultOf = ({ action_id, choice, username, created_at }: MenuPressRow): CardResult => ({
  action_id,
  value: choice === "" ? null : choice,
  username: username ?? DELETED_USER,
  at: isoTime(created_at),
});
