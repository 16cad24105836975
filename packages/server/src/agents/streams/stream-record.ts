import { STREAM_IDLE_SECONDS } from "@parley/protocol/stream-limits";
import type { LiveStream, StreamResponse } from "@parley/protocol/streams";
import { isoTime } from "../../base/iso-time.ts";
import type { AgentIdentity } from "../../http/identity.ts";
import { memberKey } from "../../http/identity.ts";
import { activityIn } from "../../messages/activity/activity.ts";
import type { StreamRow } from "./streams.store.ts";

/** Without an append for so long, the server ends the stream. */
const IDLE_MS = STREAM_IDLE_SECONDS * 1_000;

/** How the `client_msg_id` of a draft of the Telegram door begins (protocol §15.5). */
export const DRAFT_KEY = "telegram:draft:";
/** Without another draft for so long, the server cancels one. */
const DRAFT_IDLE_MS = 30_000;

/** True for the stream of a draft: if the server ends it, nothing is left, because its bot sends the whole text later. */
export const isDraft = ({ client_msg_id: key }: Pick<StreamRow, "client_msg_id">): boolean => key.startsWith(DRAFT_KEY);

/** True if a stream had no append for too long. */
export const isIdle = (row: Pick<StreamRow, "client_msg_id" | "appended_at">, now: number): boolean =>
  now - row.appended_at >= (isDraft(row) ? DRAFT_IDLE_MS : IDLE_MS);

export const expiresAt = ({ appended_at }: Pick<StreamRow, "appended_at">): string => isoTime(appended_at + IDLE_MS);

/** Returns the data of `stream:start`. */
export const startedRecord = (row: StreamRow): Omit<LiveStream, "content" | "status" | "activity"> => ({
  channel_id: row.channel_id,
  stream_id: row.id,
  agent_id: row.agent_id,
  agent_name: row.agent_name,
  reply_to_id: row.reply_to_id,
  thread_root_id: row.thread_root_id,
  also_in_channel: row.also_in_channel === 1,
  created_at: isoTime(row.created_at),
});

/** Returns a stream with its text so far. */
export const liveRecord = (row: StreamRow): LiveStream => ({
  ...startedRecord(row),
  content: row.content,
  status: row.status,
  ...(row.activity === null ? {} : { activity: activityIn(row.activity) }),
});

/** Returns a stream in any state. */
export const streamRecord = (row: StreamRow, channelSlug: string): StreamResponse["stream"] => ({
  ...liveRecord(row),
  channel_slug: channelSlug,
  state: row.state,
  length: row.length,
  message_id: row.message_id,
  finish_reason: row.finish_reason,
});

/** Returns the agent on whose behalf the server ends a stream, with the key that appended last. */
export const writerOf = (row: Pick<StreamRow, "agent_id" | "key_id">): AgentIdentity => ({
  kind: "agent",
  agentId: row.agent_id,
  keyId: row.key_id,
  key: memberKey({ kind: "agent", id: row.agent_id }),
});
