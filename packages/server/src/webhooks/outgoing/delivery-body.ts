import type { InboxItem } from "@parley/protocol/inbox";
import { HOOK_BODY_BYTES, hookEventOf, TEST_EVENT } from "@parley/protocol/webhooks";
import { itemRecords } from "../../agents/inbox/item-records.ts";
import { readableAmong } from "../../agents/mentions/mentions.service.ts";
import { isoTime } from "../../base/iso-time.ts";
import type { AppContext } from "../../context.ts";
import { loadEvents } from "../../event-log/events.ts";
import type { AgentIdentity } from "../../http/identity.ts";
import { isNotice } from "../../messages/inbox/inbox-rows.ts";
import { frameParts } from "../../realtime/frame-text.ts";
import type { DeliveryRow } from "./deliveries.store.ts";
import { type HookRow, itemsAfter } from "./hooks.store.ts";

/** The body of a delivery: made from the log each time, so that it never holds a text that was deleted meanwhile. */
export interface DeliveryContent {
  body: string;
  /** Of an agent's event: the item, which a reply acknowledges. */
  item: InboxItem | null;
  /** False if the item was acknowledged in another way. */
  isPending: boolean;
}

/** Returns what to send now; null if the event is gone. */
export async function contentOf(
  ctx: AppContext,
  hook: HookRow,
  delivery: DeliveryRow,
): Promise<DeliveryContent | null> {
  if (delivery.event === TEST_EVENT) {
    const data = { webhook_id: hook.id, text: "This is a test.", epoch: ctx.epoch };
    return { body: bodyOf(delivery, data), item: null, isPending: false };
  }
  return hook.channel_id === null ? ofItem(ctx, hook, delivery) : ofEvent(ctx, hook.channel_id, hook, delivery);
}

async function ofEvent(
  ctx: AppContext,
  channelId: number,
  hook: HookRow,
  delivery: DeliveryRow,
): Promise<DeliveryContent | null> {
  const [event] = await loadEvents(ctx, channelId, delivery.source - 1, 1);
  if (event?.seq !== delivery.source) return null;
  // An edit of a message that was removed for good is sent as its deletion.
  const type = hookEventOf(event.event);
  if (type !== delivery.event && !(JSON.parse(hook.events) as string[]).includes(type)) return null;
  const data = { ...(JSON.parse(frameParts(event.frame).dataJson) as object), epoch: ctx.epoch };
  return { body: bodyOf({ ...delivery, event: type }, data), item: null, isPending: false };
}

async function ofItem(ctx: AppContext, hook: HookRow, delivery: DeliveryRow): Promise<DeliveryContent | null> {
  const agentId = hook.agent_id ?? 0;
  const [row] = await itemsAfter(ctx.db, agentId, delivery.source - 1, 1);
  if (row?.id !== delivery.source) return null;
  const caller = agentIdentity(agentId);
  const channels = await readableAmong(ctx, caller, isNotice(row) ? [] : [{ channelId: row.channel_id }], null);
  if (!isNotice(row) && !channels.has(row.channel_id)) return null;
  const [item] = await itemRecords(ctx, caller, [row], channels);
  if (item === undefined) return null;
  return { body: bodyOf(delivery, { item, epoch: ctx.epoch }), item, isPending: row.removed_at === null };
}

/** The agent of a hook, as the services know a caller. */
export const agentIdentity = (agentId: number): AgentIdentity => ({
  kind: "agent",
  keyId: "",
  agentId,
  key: `a${agentId}`,
});

function bodyOf({ event, created_at }: Pick<DeliveryRow, "event" | "created_at">, data: object): string {
  const head = { type: event, timestamp: isoTime(created_at) };
  const whole = JSON.stringify({ ...head, data });
  if (Buffer.byteLength(whole) <= HOOK_BODY_BYTES) return whole;
  return JSON.stringify({ ...head, data: { ...idsOf(data), truncated: true } });
}

/** Returns the numbers and names that tell which event it is: enough to fetch it. */
function idsOf(data: object): object {
  const {
    chat_message: message,
    item,
    ...rest
  } = data as Record<string, unknown> & {
    chat_message?: { id?: number };
    item?: InboxItem;
  };
  const ids = Object.entries(rest).filter(([name]) => /(?:^|_)(?:id|seq|epoch|slug)$/.test(name));
  if (message?.id !== undefined) ids.push(["message_id", message.id]);
  if (item !== undefined) {
    const { item_id, kind, channel_id, channel_slug, agent_name, chat_message } = item;
    ids.push(["item", { item_id, kind, channel_id, channel_slug, agent_name, message_id: chat_message?.id ?? null }]);
  }
  return Object.fromEntries(ids);
}
