import { COMMANDS, type CommandData, type CommandName } from "@parley/protocol/realtime";
import { logoutAgent } from "../agents/agent-presence.ts";
import { sendAsAgent, showTyping } from "../agents/agents.service.ts";
import { speakerOf } from "../agents/speaker.ts";
import { appendToStream } from "../agents/streams/append-stream.ts";
import { startStream } from "../agents/streams/start-stream.ts";
import { finishedJson, startedFields } from "../agents/streams/stream-answers.ts";
import { cancel, finish } from "../agents/streams/streams.service.ts";
import { checkMayPost, membershipOf, readableChannel, writableChannel } from "../channels/access/access.ts";
import { assertMayTalk } from "../channels/access/may-talk.ts";
import { assertNotBanned } from "../channels/bans/bans.ts";
import { type ChannelRef, refOf } from "../channels/channel.ts";
import { findChannel } from "../channels/channel-cache.ts";
import { markRead } from "../channels/reading/reading.service.ts";
import { fail } from "../errors.ts";
import { Validator } from "../http/body/validate.ts";
import type { AgentIdentity, UserIdentity } from "../http/identity.ts";
import { type Route, routeNamed, type Terms } from "../http/route.ts";
import { type Posted, postMessage, sendFields } from "../messages/append/post-message.ts";
import { press } from "../messages/cards/press.service.ts";
import { deleteMessage, editMessage } from "../messages/messages.service.ts";
import { addReaction, removeReaction } from "../reactions/reactions.service.ts";
import type { Call } from "./call.ts";
import { joinOnSocket } from "./join.ts";
import { answerOnSocket, authenticateOnSocket, loginOnSocket } from "./login.ts";
import { setTyping, setVisible, unsubscribe } from "./subscriptions.ts";

export interface Command {
  validator: Validator;
  /** The terms for users and guests. */
  user: Terms;
  /** The terms for agents. */
  agent: Terms;
  handle(call: Call, data: unknown): void | Promise<void>;
}

/** The name of the route that does the same; the terms of a command that no route does. */
type Twin = string | Terms;

/** A command as it is declared here. */
interface Declared {
  name: string;
  twins: Record<"user" | "agent", Twin>;
  validator: Validator;
  handle: Command["handle"];
}

/** Declares a command. It has the auth, scope, acts and rates of its twin; `twins`: another for agents. */
function command<N extends CommandName>(
  name: N,
  options: { twin: Twin } | Pick<Declared, "twins">,
  handle: (call: Call, data: CommandData<N>) => void | Promise<void>,
): Declared {
  const spec = COMMANDS[name];
  const validator = new Validator(
    spec.data,
    "invalid" in spec ? spec.invalid : {},
    "invalid_request",
    "readOnly" in spec ? spec.readOnly : [],
  );
  const twins = "twins" in options ? options.twins : { user: options.twin, agent: options.twin };
  // The validator has checked that the data matches the schema.
  return { name, twins, validator, handle: (call, data) => handle(call, data as CommandData<N>) };
}

/** Only the limit on frames counts it. */
const UNCOUNTED: Terms = { auth: "open", isUncounted: true, documentedActs: "see the service" };
const TYPING = {
  user: { auth: "session", isUncounted: true, documentedActs: "show typing" },
  agent: "setAgentTyping",
} as const;

/**
 * The handler of each command. Handlers call the same services as the routes, which decide; only `typing`, which has no
 * service, checks rights itself.
 */
const DECLARED: readonly Declared[] = [
  command("auth:login", { twin: "login" }, loginOnSocket),
  command("auth:second-factor", { twin: "answerSecondFactor" }, answerOnSocket),
  // Counts what it is called with, as a route does.
  command("auth:agent", { twin: UNCOUNTED }, authenticateOnSocket),
  command(
    "channel:join",
    { twins: { user: { auth: "anyone", documentedActs: ["read history", "join channel"] }, agent: "loginAgent" } },
    joinOnSocket,
  ),
  command(
    "channel:leave",
    { twins: { user: { auth: "anyone", documentedActs: "stop listening" }, agent: "logoutAgent" } },
    leave,
  ),
  command("channel:read", { twin: "markRead" }, read),
  command("message:send", { twins: { user: "sendMessage", agent: "sendAgentMessage" } }, send),
  command("stream:start", { twin: "startStream" }, startOnSocket),
  command("stream:append", { twin: "appendToStream" }, appendOnSocket),
  command("stream:finish", { twin: "finishStream" }, finishOnSocket),
  command("stream:cancel", { twin: "cancelStream" }, cancelOnSocket),
  command("message:edit", { twin: "editMessage" }, edit),
  command("message:delete", { twin: "deleteMessage" }, remove),
  command("reaction:add", { twin: "react" }, (call, data) => react(call, data, addReaction)),
  command("reaction:remove", { twin: "unreact" }, (call, data) => react(call, data, removeReaction)),
  command("interaction:press", { twin: "pressCard" }, pressOnSocket),
  command("typing:start", { twins: TYPING }, (call, data) => typing(call, data, true)),
  command("typing:stop", { twins: TYPING }, (call, data) => typing(call, data, false)),
  command(
    "page:visible",
    { twin: { auth: "session", isUncounted: true, documentedActs: "own notifications" } },
    (call, data) => {
      setVisible(call.ctx, call.connection, data.visible);
      call.ack('{"success":true}');
    },
  ),
  command("ping", { twin: UNCOUNTED }, (call) => call.ack('{"success":true}')),
];

/** Returns each command, with the terms of its twins among the routes. Throws if one is missing. */
export function makeCommands(routes: readonly Route[]): ReadonlyMap<string, Command> {
  const termsOf = (twin: Twin): Terms => (typeof twin === "string" ? routeNamed(routes, twin) : twin);
  return new Map(
    DECLARED.map(({ name, twins: { user, agent }, validator, handle }) => [
      name,
      { user: termsOf(user), agent: termsOf(agent), validator, handle },
    ]),
  );
}

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

/** Begins a stream in the name that the agent sends under. */
async function startOnSocket(call: Call, data: CommandData<"stream:start">): Promise<void> {
  const { ctx, agent } = call;
  const agent_name = await speakerOf(ctx, agent.agentId, data.agent_name);
  const started = await startStream(ctx, agent, { ...data, agent_name });
  call.ack(JSON.stringify({ success: true, ...startedFields(started) }));
}

async function appendOnSocket(call: Call, { stream_id, ...piece }: CommandData<"stream:append">): Promise<void> {
  call.ack(JSON.stringify({ success: true, ...(await appendToStream(call.ctx, call.agent, stream_id, piece)) }));
}

async function finishOnSocket(call: Call, { stream_id, ...body }: CommandData<"stream:finish">): Promise<void> {
  call.ack(finishedJson(await finish(call.ctx, call.agent, stream_id, body)));
}

async function cancelOnSocket(call: Call, { stream_id }: CommandData<"stream:cancel">): Promise<void> {
  await cancel(call.ctx, call.agent, stream_id);
  call.ack(JSON.stringify({ success: true, stream_id, state: "cancelled" }));
}
