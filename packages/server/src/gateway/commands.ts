import { RATES, type RatePolicy } from "@parley/protocol/limits";
import { COMMANDS, type CommandData, type CommandName } from "@parley/protocol/realtime";
import { logoutAgent } from "../agents/agent-presence.ts";
import { sendAsAgent, showTyping } from "../agents/agents.service.ts";
import { speakerOf } from "../agents/speaker.ts";
import { checkMayPost, membershipOf, readableChannel, writableChannel } from "../channels/access/access.ts";
import { refOf } from "../channels/access/channel-ref.ts";
import { assertMayTalk } from "../channels/access/may-talk.ts";
import { assertNotBanned } from "../channels/bans/bans.ts";
import type { ChannelRef } from "../channels/channel.ts";
import { findChannel } from "../channels/channel-cache.ts";
import { markRead } from "../channels/reading/reading.service.ts";
import { fail } from "../errors.ts";
import { Validator } from "../http/body/validate.ts";
import type { AgentIdentity, UserIdentity } from "../http/identity.ts";
import type { NeededScope } from "../http/key-scopes.ts";
import type { Right } from "../http/rights.ts";
import { type Posted, postMessage, sendFields } from "../messages/append/post-message.ts";
import { press } from "../messages/cards/press.service.ts";
import { deleteMessage, editMessage } from "../messages/messages.service.ts";
import { addReaction, removeReaction } from "../reactions/reactions.service.ts";
import type { Call } from "./call.ts";
import { joinOnSocket } from "./join.ts";
import { answerOnSocket, authenticateOnSocket, loginOnSocket } from "./login.ts";
import { appendOnSocket, cancelOnSocket, finishOnSocket, startOnSocket } from "./stream-commands.ts";
import { setTyping, setVisible, unsubscribe } from "./subscriptions.ts";

interface Rate {
  policy: RatePolicy;
  by: "identity" | "address";
}

export interface Command {
  /** The acts of the rights table (protocol §1) that the command performs, as `documentedActs` of a route. */
  documentedActs: Right | readonly Right[];
  validator: Validator;
  /** The scope that an agent's key needs, as `scope` of a route. */
  scope?: NeededScope;
  /** True if users may call it who must set up a second factor first. */
  beforeSecondFactor?: boolean;
  /** The callers: others are refused before their data is validated. `member`: a user or an agent. */
  caller: "anyone" | "user" | "agent" | "member";
  /**
   * True if the command counts against the general limit of the session (or of the guest's address), as its REST twin
   * does.
   */
  general: boolean;
  /** An additional policy, by identity or by address. */
  rate: Rate | undefined;
  /** The limits of agents, if their REST twin is another route. */
  ofAgents: { general: true; rate: Rate | undefined } | undefined;
  handle(call: Call, data: unknown): void | Promise<void>;
}

function command<N extends CommandName>(
  name: N,
  options: Pick<Command, "caller" | "general" | "documentedActs"> &
    Partial<Pick<Command, "rate" | "ofAgents" | "scope" | "beforeSecondFactor">>,
  handle: (call: Call, data: CommandData<N>) => void | Promise<void>,
): [string, Command] {
  const spec = COMMANDS[name];
  const validator = new Validator(
    spec.data,
    "invalid" in spec ? spec.invalid : {},
    "invalid_request",
    "readOnly" in spec ? spec.readOnly : [],
  );
  // The validator has checked that the data matches the schema.
  return [
    name,
    {
      rate: undefined,
      ofAgents: undefined,
      ...options,
      validator,
      handle: (call, data) => handle(call, data as CommandData<N>),
    },
  ];
}

const OPEN = { caller: "anyone", general: true } as const;
const LOGIN = { ...OPEN, scope: "any", beforeSecondFactor: true } as const;
const AGENT = { caller: "agent", general: true } as const;
const MEMBER = { caller: "member", general: true } as const;
const byIdentity = (policy: RatePolicy): Rate => ({ policy, by: "identity" });
const REACTION = byIdentity(RATES.reaction);
/** For users it has no REST twin; the limit on frames suffices. */
const TYPING = {
  caller: "member",
  general: false,
  scope: "send",
  ofAgents: { general: true, rate: byIdentity(RATES.agentTyping) },
  documentedActs: ["show typing", "send as agent"],
} as const;

/**
 * The handler of each command. Handlers call the same services as the routes, which decide; only `typing`, which has no
 * service, checks rights itself.
 */
export const commands: ReadonlyMap<string, Command> = new Map([
  command(
    "auth:login",
    { ...LOGIN, documentedActs: "log in", rate: { policy: RATES.login, by: "address" } },
    loginOnSocket,
  ),
  command(
    "auth:second-factor",
    { ...LOGIN, documentedActs: "answer challenge", rate: { policy: RATES.secondFactor, by: "address" } },
    answerOnSocket,
  ),
  // Counts what it is called with, as a route does.
  command("auth:agent", { ...LOGIN, general: false, documentedActs: "see the service" }, authenticateOnSocket),
  command(
    "channel:join",
    { ...OPEN, scope: "read", documentedActs: ["read history", "join channel", "log agent in"] },
    joinOnSocket,
  ),
  command("channel:leave", { ...OPEN, scope: "read", documentedActs: ["stop listening", "log agent out"] }, leave),
  command("channel:read", { caller: "user", general: true, documentedActs: "mark as read" }, read),
  command(
    "message:send",
    {
      ...MEMBER,
      scope: "send",
      documentedActs: ["send", "send as agent"],
      rate: byIdentity(RATES.userSend),
      ofAgents: { general: true, rate: byIdentity(RATES.agentSend) },
    },
    send,
  ),
  command(
    "stream:start",
    { ...AGENT, scope: "send", documentedActs: "send as agent", rate: byIdentity(RATES.agentSend) },
    startOnSocket,
  ),
  command(
    "stream:append",
    {
      ...AGENT,
      scope: "send",
      general: false,
      documentedActs: "write own streams",
      rate: byIdentity(RATES.agentAppend),
    },
    appendOnSocket,
  ),
  command("stream:finish", { ...AGENT, scope: "send", documentedActs: "write own streams" }, finishOnSocket),
  command("stream:cancel", { ...AGENT, scope: "send", documentedActs: "write own streams" }, cancelOnSocket),
  command("message:edit", { ...MEMBER, scope: "send", documentedActs: "edit message" }, edit),
  command("message:delete", { ...MEMBER, scope: "send", documentedActs: "delete message" }, remove),
  command("reaction:add", { ...MEMBER, scope: "react", documentedActs: "react", rate: REACTION }, (call, data) =>
    react(call, data, addReaction),
  ),
  command(
    "reaction:remove",
    { ...MEMBER, scope: "react", documentedActs: "take back reaction", rate: REACTION },
    (call, data) => react(call, data, removeReaction),
  ),
  command(
    "interaction:press",
    { caller: "user", general: true, documentedActs: "press card", rate: byIdentity(RATES.press) },
    pressOnSocket,
  ),
  command("typing:start", TYPING, (call, data) => typing(call, data, true)),
  command("typing:stop", TYPING, (call, data) => typing(call, data, false)),
  command("page:visible", { caller: "user", general: false, documentedActs: "own notifications" }, (call, data) => {
    setVisible(call.ctx, call.connection, data.visible);
    call.ack('{"success":true}');
  }),
  command("ping", { ...LOGIN, general: false, documentedActs: "see the service" }, (call) =>
    call.ack('{"success":true}'),
  ),
]);

async function send(call: Call, data: CommandData<"message:send">): Promise<void> {
  const { member } = call;
  const posted = member.kind === "agent" ? await sendOfAgent(call, member, data) : await sendOfUser(call, member, data);
  call.ack(
    `{"success":true,"message_id":${posted.id},"seq":${posted.seq},"deduplicated":${posted.deduplicated},"chat_message":${posted.json}}`,
  );
}

async function sendOfUser(call: Call, caller: UserIdentity, data: CommandData<"message:send">): Promise<Posted> {
  const { ctx } = call;
  const channel = await writableChannel(ctx, caller, refOf(data));
  return postMessage(ctx, {
    caller,
    channel,
    content: data.content ?? "",
    ...sendFields(data),
    clientMsgId: data.client_msg_id,
    onQueued: () => call.release(),
  });
}

async function sendOfAgent(call: Call, caller: AgentIdentity, data: CommandData<"message:send">): Promise<Posted> {
  const { content, ...fields } = data;
  const agent_name = await speakerOf(call.ctx, caller.agentId, data.agent_name);
  return sendAsAgent(call.ctx, caller, { ...fields, message: content, agent_name }, null, () => call.release());
}

async function read(call: Call, data: CommandData<"channel:read">): Promise<void> {
  const state = await markRead(call.ctx, call.user, refOf(data), data.seq ?? null);
  call.ack(JSON.stringify({ success: true, ...state }));
}

async function edit(call: Call, data: CommandData<"message:edit">): Promise<void> {
  const { json } = await editMessage(call.ctx, call.member, data.message_id, data.content);
  call.ack(`{"success":true,"message":"The message is changed.","chat_message":${json}}`);
}

async function remove(call: Call, data: CommandData<"message:delete">): Promise<void> {
  await deleteMessage(call.ctx, call.member, data.message_id);
  call.ack(`{"success":true,"message":"The message is deleted.","message_id":${data.message_id}}`);
}

async function react(
  call: Call,
  { message_id: messageId, reaction }: CommandData<"reaction:add">,
  act: typeof addReaction,
): Promise<void> {
  call.ack(JSON.stringify({ success: true, ...(await act(call.ctx, call.member, messageId, reaction)) }));
}

async function pressOnSocket(call: Call, { interaction_id, ...body }: CommandData<"interaction:press">): Promise<void> {
  call.ack(JSON.stringify({ success: true, interaction: await press(call.ctx, call.user, interaction_id, body) }));
}

async function leave(call: Call, data: CommandData<"channel:leave">): Promise<void> {
  const { connection } = call;
  const { identity } = connection;
  const channelId = await channelIdOf(call, refOf(data));
  unsubscribe(call.readingCtx, connection, channelId);
  if (identity.kind === "agent") await logoutAgent(call.ctx, identity.agentId, { channelId });
  call.ack(`{"success":true,"channel_id":${channelId}}`);
}

/** Skips the lookup for a channel that the socket is in: a client may leave a channel that no longer exists. */
async function channelIdOf(call: Call, ref: ChannelRef): Promise<number> {
  if (ref.id === undefined && ref.slug === undefined) throw fail("channel_id_required");
  if (ref.id !== undefined && call.connection.isIn(ref.id)) return ref.id;
  // An agent may be logged in where this socket is not.
  const { identity } = call.connection;
  if (identity.kind === "agent") return (await readableChannel(call.ctx, identity, ref)).id;
  const channel = await findChannel(call.ctx, ref);
  // A channel that the socket is not in may be hidden from it.
  if (channel === null || !call.connection.isIn(channel.id)) throw fail("channel_not_found");
  return channel.id;
}

async function typing(call: Call, data: CommandData<"typing:start">, isTyping: boolean): Promise<void> {
  const { ctx, connection, member: user } = call;
  if (user.kind === "agent") {
    const agent_name = await speakerOf(ctx, user.agentId, data.agent_name);
    await showTyping(ctx, user, { ...data, agent_name, typing: isTyping });
    call.ack('{"success":true}');
    return;
  }
  const channel = await readableChannel(ctx, user, refOf(data));
  if (!connection.isIn(channel.id)) throw fail("not_a_member");
  // Users who may not post must not be shown as typing.
  const membership = await membershipOf(ctx, user, channel);
  if (membership === null) await assertNotBanned(ctx, user, channel.id);
  checkMayPost(ctx, user, channel, membership);
  if (channel.direct !== null) await assertMayTalk(ctx, user, channel);
  // The socket may have left the channel during the lookup.
  const place = { channelId: channel.id, rootId: data.thread_root_id ?? null };
  if (connection.isIn(channel.id)) setTyping(ctx, connection, place, isTyping, call.second);
  call.ack('{"success":true}');
}
