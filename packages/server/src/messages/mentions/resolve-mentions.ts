import { HERE } from "@parley/protocol/here";
import { WIDE_AT } from "@parley/protocol/letters";
import { hasBlocked } from "../../accounts/blocks/blocks.ts";
import { lookUpNames, type Named } from "../../accounts/names/name-directory.ts";
import { type Channel, isOpen } from "../../channels/channel.ts";
import { agentAdded, membership } from "../../channels/channel-cache.ts";
import type { AppContext } from "../../context.ts";
import type { MessageRow, RecordMention } from "../../event-log/message-json.ts";
import type { AgentIdentity, MemberKey, UserIdentity } from "../../http/identity.ts";
import { frameOf } from "../../realtime/frame-text.ts";
import { userTopic } from "../../realtime/topics.ts";
import type { NewItem } from "../inbox/inbox-rows.ts";
import { MENTION_EVENT, messageItemFrame, publishItem } from "../inbox/item-frames.ts";
import { findCandidates, keysOf, type ResolvedMention, resolveMentions } from "./parse-mentions.ts";
import { platformAgentRecipients } from "./platform-agent.ts";

/** The name every agent may use; it has no owner (protocol §5). */
const SHARED_AGENT: Named = { kind: "agent", id: 0, name: "PlatformAgent" };
const SHARED_KEY = "platformagent";

/** The target of `@here` in a person's message. Nobody can have this name. */
const EVERYBODY = { kind: "here", id: 0, name: HERE } as const;

/** The users and agents a text mentions, and which agents get a pending mention. */
export interface Mentioned {
  /** The mentions as stored in the record. */
  mentions: RecordMention[];
  users: { userId: number; username: string }[];
  agents: ReachedAgent[];
  /** It calls everybody who is online in the channel (here.ts). */
  callsHere?: HereCall;
}

/** A call of everybody. A message is stored only if its call has been counted (`storeCalls`). */
export interface HereCall {
  isCounted: boolean;
}

/** An agent whose inbox gets an item for the message. */
export interface ReachedAgent {
  agentId: number;
  /** The name that is meant. */
  agentName: string;
  kind: "mention" | "direct";
}

export const NOBODY: Mentioned = { mentions: [], users: [], agents: [] };

/**
 * Finds out whom a message notifies: those whom its text mentions, and the agent of a direct conversation. Synchronous
 * and without SQL for a text without `@` or with cached names.
 */
export function mentionedIn(
  ctx: AppContext,
  channel: Channel,
  caller: UserIdentity | AgentIdentity,
  content: string,
): Mentioned | Promise<Mentioned> {
  const found = namedIn(ctx, channel, caller, content);
  const agent = channel.direct === null ? null : channel.directAgent;
  if (agent === null || (caller.kind === "agent" && caller.agentId === agent.agentId)) return found;
  return found instanceof Promise ? found.then((mentioned) => withAgent(mentioned, agent)) : withAgent(found, agent);
}

/** Adds the agent of a direct conversation, which gets one item, whether the text mentions it or not. */
const withAgent = (mentioned: Mentioned, agent: Omit<ReachedAgent, "kind">): Mentioned => ({
  ...mentioned,
  agents: [
    ...mentioned.agents.filter(({ agentId }) => agentId !== agent.agentId),
    { agentId: agent.agentId, agentName: agent.agentName, kind: "direct" },
  ],
});

function namedIn(
  ctx: AppContext,
  channel: Channel,
  caller: UserIdentity | AgentIdentity,
  content: string,
): Mentioned | Promise<Mentioned> {
  // On the path of every send, where this takes a fraction of the time of a search with a pattern.
  if (!content.includes("@") && !content.includes(WIDE_AT)) return NOBODY;
  const sender =
    caller.kind === "user"
      ? { kind: "user" as const, id: caller.userId }
      : { kind: "agent" as const, id: caller.agentId };
  return namedBy(ctx, channel, sender, content, caller.kind === "user" && channel.direct === null);
}

/**
 * Returns the users and agents that the text of a webhook notifies. A webhook has no account that somebody could block,
 * and calls nobody with `@here`.
 */
export const mentionedBy = (ctx: AppContext, channel: Channel, content: string): Mentioned | Promise<Mentioned> =>
  namedBy(ctx, channel, { kind: "user", id: 0 }, content);

function namedBy(
  ctx: AppContext,
  channel: Channel,
  sender: { kind: Named["kind"]; id: number },
  content: string,
  mayCall = false,
): Mentioned | Promise<Mentioned> {
  const candidates = findCandidates(content);
  if (candidates.length === 0) return NOBODY;
  const finish = (names: Map<string, Named | null>) => {
    const lookUp = (key: string) => {
      if (key === SHARED_KEY) return SHARED_AGENT;
      return key === HERE && mayCall ? EVERYBODY : names.get(key);
    };
    const resolved = resolveMentions(candidates, lookUp, sender);
    return resolved.length === 0 ? NOBODY : withRecipients(ctx, channel, resolved, sender);
  };
  const names = lookUpNames(ctx, keysOf(candidates));
  return names instanceof Promise ? names.then(finish) : finish(names);
}

function withRecipients(
  ctx: AppContext,
  channel: Channel,
  resolved: readonly ResolvedMention[],
  sender: { kind: Named["kind"]; id: number },
): Mentioned | Promise<Mentioned> {
  const mentions = resolved.map(({ id: _, ...mention }) => mention);
  const ringing = resolved.filter(({ quoted }) => quoted !== true);
  const byId = new Map(ringing.flatMap(({ type, id, name }) => (type === "user" ? [[id, name]] : [])));
  const users = notBlocking(
    ctx,
    [...byId].map(([userId, username]) => ({ userId, username })),
    sender,
  );
  const named = ringing.filter(({ type }) => type === "agent");
  const heard = channel.agent_policy === "deny" ? [] : named;
  const call = ringing.some(({ type }) => type === "here") ? { callsHere: { isCounted: false } } : {};
  if (heard.length === 0 && isOpen(channel) && !(users instanceof Promise))
    return { mentions, users, agents: [], ...call };
  return Promise.all([readers(ctx, channel, users), recipients(ctx, channel, heard, sender)]).then(
    ([users, agents]) => ({ mentions, users, agents, ...call }),
  );
}

/**
 * Removes users who have blocked the sender: the text still mentions them, but they are not notified. Synchronous from
 * the cache.
 */
function notBlocking(
  ctx: AppContext,
  users: Mentioned["users"],
  { kind, id }: { kind: Named["kind"]; id: number },
): Mentioned["users"] | Promise<Mentioned["users"]> {
  const sender: MemberKey = kind === "user" ? `u${id}` : `a${id}`;
  const blocking = users.map(({ userId }) => hasBlocked(ctx, userId, sender));
  const without = (blocked: readonly boolean[]) => users.filter((_, at) => blocked[at] !== true);
  return blocking.some((each) => each instanceof Promise)
    ? Promise.all(blocking).then(without)
    : without(blocking as boolean[]);
}

/** Keeps only users who may read the channel. */
async function readers(
  ctx: AppContext,
  channel: Channel,
  users: Mentioned["users"] | Promise<Mentioned["users"]>,
): Promise<Mentioned["users"]> {
  if (isOpen(channel)) return users;
  const found: Mentioned["users"] = [];
  for (const user of await users) if ((await membership(ctx, channel.id, user.userId)) !== null) found.push(user);
  return found;
}

/** Returns one pending mention per agent and name; omits agents that may not read the channel. */
async function recipients(
  ctx: AppContext,
  channel: Channel,
  named: readonly ResolvedMention[],
  sender: { kind: Named["kind"]; id: number },
): Promise<Mentioned["agents"]> {
  const found = new Map<string, ReachedAgent>();
  for (const { id, name } of named) {
    const ids = id === SHARED_AGENT.id ? await platformAgentRecipients(ctx, channel.id) : [id];
    for (const agentId of ids) {
      if (sender.kind === "agent" && sender.id === agentId) continue;
      if (!isOpen(channel) && (await agentAdded(ctx, channel.id, agentId)) === null) continue;
      found.set(`${agentId} ${name}`, { agentId, agentName: name, kind: "mention" });
    }
  }
  return [...found.values()];
}

/** Returns the items that a message causes. */
export const itemsOf = (
  { channel_id, id }: Pick<MessageRow, "channel_id" | "id">,
  { agents }: Mentioned,
  created_at: number,
): NewItem[] =>
  agents.map(({ agentId, agentName, kind }) => {
    return { agent_id: agentId, agent_name: agentName, kind, channel_id, message_id: id, created_at };
  });

/**
 * Notifies the connections of the users and agents that a message reaches (protocol §8). `itemIds` are the ids of the
 * items of `mentioned.agents`, in their order; 0: the item is gone.
 */
export function publishMentions(
  ctx: AppContext,
  mentioned: Mentioned,
  itemIds: readonly number[],
  message: { channelId: number; channelSlug: string; json: string; at: number },
): void {
  if (mentioned === NOBODY) return;
  const { channelId, at } = message;
  if (mentioned.users.length > 0) {
    const frame = frameOf(MENTION_EVENT, `{"channel_id":${channelId},"chat_message":${message.json}}`);
    for (const { userId } of mentioned.users) {
      ctx.broker.publish(userTopic(userId), [{ event: MENTION_EVENT, frame }]);
    }
  }
  mentioned.agents.forEach(({ agentId, agentName, kind }, nth) => {
    const id = itemIds[nth];
    if (id === undefined || id === 0) return;
    const item = { id, kind, agent_name: agentName, channel_id: channelId, created_at: at };
    publishItem(ctx, agentId, messageItemFrame(item, message));
  });
}
