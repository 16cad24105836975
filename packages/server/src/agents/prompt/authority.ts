import type { Authority } from "@parley/protocol/envelope";
import type { ChatMessage } from "@parley/protocol/models";
import { nameKey } from "../../accounts/names/names.ts";
import { findChannel } from "../../channels/channel-cache.ts";
import type { AppContext } from "../../context.ts";
import type { RecordMention } from "../../event-log/message-json.ts";
import type { AgentIdentity } from "../../http/identity.ts";
import { ADMINISTRATOR } from "../../http/site-levels.ts";
import { readerOf, type SpeakerRow, speakersOf } from "./authority.store.ts";
import type { Seen } from "./spoken.ts";

/** A message whose speaker cannot be found, because it was purged meanwhile. */
const UNKNOWN: Seen = { authority: "guest", toYou: false };

/**
 * Returns a function that tells how the reading agent should see a message's speaker, by the message's id. It reflects
 * the rights of now, not of when the message was written, and reads them from the database, two statements for all
 * messages: so it is right on every node at once.
 */
export async function seenBy(
  ctx: AppContext,
  reader: AgentIdentity,
  messageIds: readonly number[],
): Promise<(messageId: number) => Seen> {
  if (messageIds.length === 0) return () => UNKNOWN;
  const [agent, speakers] = await Promise.all([
    readerOf(ctx.db, reader.agentId),
    speakersOf(ctx.db, reader.agentId, messageIds),
  ]);
  const directs = await directAmong(ctx, speakers);
  const now = ctx.clock.now();
  const known = new Map(
    speakers.map((row) => {
      const isDirect = directs.has(row.channel_id);
      const authority = authorityOf(row, { agentId: reader.agentId, ownerId: agent.ownerId, isDirect, now });
      const toYou = authority !== "self" && (isDirect || isTo(row, reader.agentId, agent.nameKeys));
      return [row.id, { authority, toYou }];
    }),
  );
  return (id) => known.get(id) ?? UNKNOWN;
}

/** The facts on which the authority of a speaker depends, besides the speaker. */
export interface ReaderFacts {
  agentId: number;
  ownerId: number | null;
  /** Nobody manages a direct conversation. */
  isDirect: boolean;
  now: number;
}

/** Returns the authority of a message's sender for an agent that reads it (protocol §5). */
export function authorityOf(
  row: Omit<SpeakerRow, "id" | "channel_id" | "mentions" | "replied_agent_id" | "mention_id">,
  { agentId, ownerId, isDirect, now }: ReaderFacts,
): Authority {
  if (row.webhook_id !== null) return "webhook";
  if (row.sender_type === "agent") return row.agent_id === agentId ? "self" : "agent";
  // A suspended user has no rights, and an erased one no account.
  if (row.user_id === null || (row.suspended_until ?? 0) > now) return "guest";
  if (row.user_id === ownerId) return "owner";
  const manages = row.role === "owner" || row.role === "admin" || (row.admin_level ?? 0) >= ADMINISTRATOR;
  if (manages && !isDirect) return "channel_admin";
  return row.role === null ? "guest" : "member";
}

/** True if the message mentions the agent or replies to it. */
function isTo(row: SpeakerRow, agentId: number, nameKeys: ReadonlySet<string>): boolean {
  if (row.replied_agent_id === agentId || row.mention_id !== null) return true;
  if (row.mentions === null) return false;
  const mentions = JSON.parse(row.mentions) as RecordMention[];
  return mentions.some(({ type, name, quoted }) => type === "agent" && quoted !== true && nameKeys.has(nameKey(name)));
}

/** Returns the channels that are direct conversations, each looked up once. */
async function directAmong(ctx: AppContext, rows: readonly SpeakerRow[]): Promise<Set<number>> {
  const direct = new Set<number>();
  for (const id of new Set(rows.map(({ channel_id }) => channel_id))) {
    const channel = await findChannel(ctx, { id });
    if (channel !== null && channel.direct !== null) direct.add(id);
  }
  return direct;
}

/** Messages as their reading agent sees them. */
export interface AgentView<M extends ChatMessage = ChatMessage> {
  /** The messages with `authority`. */
  messages: M[];
  seen: (messageId: number) => Seen;
}

/** Adds `authority` to the records of a page. */
export async function viewOf<M extends ChatMessage>(
  ctx: AppContext,
  reader: AgentIdentity,
  messages: readonly M[],
): Promise<AgentView<M>> {
  const seen = await seenBy(
    ctx,
    reader,
    messages.map(({ id }) => id),
  );
  return { messages: messages.map((message) => ({ ...message, authority: seen(message.id).authority })), seen };
}
