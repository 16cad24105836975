import type { InboxItem, Notice, ReactionChange } from "@parley/protocol/inbox";
import { isoTime } from "../../base/iso-time.ts";
import type { AppContext } from "../../context.ts";
import { frameOf, frameParts } from "../../realtime/frame-text.ts";
import { agentTopic } from "../../realtime/topics.ts";
import type { ItemRow } from "./inbox-rows.ts";

export const MENTION_EVENT = "mention:new";
export const ITEM_EVENT = "inbox:new";

/** The fields of an item that a frame carries. */
type FramedItem = Pick<ItemRow, "id" | "kind" | "agent_name" | "channel_id" | "created_at">;

/** The message of an item as its frame carries it. */
interface FramedMessage {
  json: string;
  channelSlug: string;
  /** Of an item `reaction`. */
  reaction?: ReactionChange | undefined;
}

/**
 * Publishes an item to the connections of its agent, on every node. A mention is published as `mention:new`, as the
 * release before knows it; the connections make `inbox:new` of it (`agentFrames`). Everything else is `inbox:new`.
 */
export function publishItem(ctx: AppContext, agentId: number, frame: string): void {
  const { event } = frameParts(frame);
  ctx.broker.publish(agentTopic(agentId), [{ event, frame }]);
}

/** Returns the frame of an item with a message. The ids precede all text of users, so that they can be cut out. */
export function messageItemFrame(item: FramedItem, { json, channelSlug, reaction }: FramedMessage): string {
  const { id, kind, channel_id } = item;
  const name = `"agent_name":${JSON.stringify(item.agent_name)},"created_at":"${isoTime(item.created_at)}"`;
  if (kind === "mention") {
    const ids = `"channel_id":${channel_id},"mention_id":${id},"item_id":${id}`;
    return frameOf(MENTION_EVENT, `{${ids},${name},"chat_message":${json}}`);
  }
  const place = `"channel_id":${channel_id},"channel_slug":${JSON.stringify(channelSlug)}`;
  const head = `"item_id":${id},"kind":"${kind}",${place},${name}`;
  const reacted = reaction === undefined ? "" : `,"reaction":${JSON.stringify(reaction)}`;
  return frameOf(ITEM_EVENT, `{"item":{${head},"chat_message":${json},"notice":null${reacted}}}`);
}

export const noticeFrame = (item: InboxItem): string => frameOf(ITEM_EVENT, JSON.stringify({ item }));

/** Returns the item of a notice. */
export function noticeItem(row: Omit<ItemRow, "removed_at">): InboxItem {
  const { channel_slug, ...notice } = JSON.parse(row.notice ?? "{}") as StoredNotice;
  return {
    item_id: row.id,
    kind: row.kind,
    channel_id: row.channel_id === 0 ? null : row.channel_id,
    channel_slug,
    agent_name: row.agent_name === "" ? null : row.agent_name,
    created_at: isoTime(row.created_at),
    chat_message: null,
    notice,
  };
}

/** A notice as it is stored, with the slug that the channel had: the agent may no longer read the channel. */
export type StoredNotice = Notice & { channel_slug: string | null };

/**
 * Returns the frames that an agent's connection sends for a frame of its topic: a mention is followed by its
 * `inbox:new`. A mention that a node of the release before published has no id, and stays alone.
 */
export function agentFrames(event: string, frame: string): string[] {
  if (event !== MENTION_EVENT || itemIdOf(frame) === null) return [frame];
  const { item_id, channel_id, agent_name, created_at, chat_message } = JSON.parse(
    frameParts(frame).dataJson,
  ) as MentionData;
  const place = { channel_id, channel_slug: chat_message.channel_slug };
  const item = { item_id, kind: "mention", ...place, agent_name, created_at, chat_message, notice: null };
  return [frame, frameOf(ITEM_EVENT, JSON.stringify({ item }))];
}

interface MentionData {
  item_id: number;
  channel_id: number;
  agent_name: string;
  created_at: string;
  chat_message: { channel_slug: string };
}

const ITEM_ID =
  /^\{"event":"(?:mention|inbox):new","data":\{(?:"channel_id":\d+,"mention_id":\d+,|"item":\{)"item_id":(\d+)/;

/** Returns the id of the item that a frame carries; null if it carries none. */
export const itemIdOf = (frame: string): string | null => ITEM_ID.exec(frame)?.[1] ?? null;
