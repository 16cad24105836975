import { RATES, type RatePolicy } from "@parley/protocol/limits";
import { COMMANDS, type CommandData, type CommandName } from "@parley/protocol/realtime";
import {
  assertPeerNotBlocked,
  checkMayPost,
  membershipOf,
  readableChannel,
  refOf,
  writableChannel,
} from "../channels/access/access.ts";
import { assertNotBanned } from "../channels/bans/bans.ts";
import type { ChannelRef } from "../channels/channel.ts";
import { findChannel } from "../channels/channel-cache.ts";
import { markRead } from "../channels/reading/reading.service.ts";
import { fail } from "../errors.ts";
import { Validator } from "../http/body/validate.ts";
import type { Right } from "../http/rights.ts";
import { postMessage } from "../messages/append/post-message.ts";
import { deleteMessage, editMessage } from "../messages/messages.service.ts";
import { addReaction, removeReaction } from "../messages/reactions/reactions.service.ts";
import type { Call } from "./call.ts";
import { joinOnSocket } from "./join.ts";
import { loginOnSocket } from "./login.ts";
import { setTyping, unsubscribe } from "./subscriptions.ts";

export interface Command {
  /** The acts of the rights table (protocol §1) that the command performs, as `documentedActs` of a route. */
  documentedActs: Right | readonly Right[];
  validator: Validator;
  /** True if guests are refused, before their data is validated. */
  session: boolean;
  /**
   * True if the command counts against the general limit of the session (or of the guest's address), as its REST twin
   * does.
   */
  general: boolean;
  /** An additional policy, by identity or by address. */
  rate: { policy: RatePolicy; by: "identity" | "address" } | undefined;
  handle(call: Call, data: unknown): void | Promise<void>;
}

function command<N extends CommandName>(
  name: N,
  options: Pick<Command, "session" | "general" | "documentedActs"> & { rate?: Command["rate"] },
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
    { rate: undefined, ...options, validator, handle: (call, data) => handle(call, data as CommandData<N>) },
  ];
}

const OPEN = { session: false, general: true };
const SESSION = { session: true, general: true };
const REACTION = { policy: RATES.reaction, by: "identity" } as const;
/** Has no REST twin; the limit on frames suffices. */
const TYPING = { session: true, general: false, documentedActs: "show typing" } as const;

/**
 * The handler of each command. Handlers call the same services as the routes, which decide; only `typing`, which has no
 * service, checks rights itself.
 */
export const commands: ReadonlyMap<string, Command> = new Map([
  command(
    "auth:login",
    { ...OPEN, documentedActs: "log in", rate: { policy: RATES.login, by: "address" } },
    loginOnSocket,
  ),
  command("channel:join", { ...OPEN, documentedActs: ["read history", "join channel"] }, joinOnSocket),
  command("channel:leave", { ...OPEN, documentedActs: "stop listening" }, leave),
  command("channel:read", { ...SESSION, documentedActs: "mark as read" }, read),
  command(
    "message:send",
    { ...SESSION, documentedActs: "send", rate: { policy: RATES.userSend, by: "identity" } },
    send,
  ),
  command("message:edit", { ...SESSION, documentedActs: "edit message" }, edit),
  command("message:delete", { ...SESSION, documentedActs: "delete message" }, remove),
  command("reaction:add", { ...SESSION, documentedActs: "react", rate: REACTION }, (call, data) =>
    react(call, data, addReaction),
  ),
  command("reaction:remove", { ...SESSION, documentedActs: "take back reaction", rate: REACTION }, (call, data) =>
    react(call, data, removeReaction),
  ),
  command("typing:start", TYPING, (call, data) => typing(call, data, true)),
  command("typing:stop", TYPING, (call, data) => typing(call, data, false)),
  command("ping", { session: false, general: false, documentedActs: "see the service" }, (call) =>
    call.ack('{"success":true}'),
  ),
]);

async function send(call: Call, data: CommandData<"message:send">): Promise<void> {
  const { ctx, user: caller } = call;
  const channel = await writableChannel(ctx, caller, refOf(data));
  const posted = await postMessage(ctx, {
    caller,
    channel,
    content: data.content ?? "",
    stickerId: data.sticker_id,
    clientMsgId: data.client_msg_id,
    replyToId: data.reply_to_id,
    onQueued: () => call.release(),
  });
  call.ack(
    `{"success":true,"message_id":${posted.id},"seq":${posted.seq},"deduplicated":${posted.deduplicated},"chat_message":${posted.json}}`,
  );
}

async function read(call: Call, data: CommandData<"channel:read">): Promise<void> {
  const state = await markRead(call.ctx, call.user, refOf(data), data.seq ?? null);
  call.ack(JSON.stringify({ success: true, ...state }));
}

async function edit(call: Call, data: CommandData<"message:edit">): Promise<void> {
  const { json } = await editMessage(call.ctx, call.user, data.message_id, data.content);
  call.ack(`{"success":true,"message":"The message is changed.","chat_message":${json}}`);
}

async function remove(call: Call, data: CommandData<"message:delete">): Promise<void> {
  await deleteMessage(call.ctx, call.user, data.message_id);
  call.ack(`{"success":true,"message":"The message is deleted.","message_id":${data.message_id}}`);
}

async function react(
  call: Call,
  { message_id: messageId, reaction }: CommandData<"reaction:add">,
  act: typeof addReaction,
): Promise<void> {
  call.ack(JSON.stringify({ success: true, ...(await act(call.ctx, call.user, messageId, reaction)) }));
}

async function leave(call: Call, data: CommandData<"channel:leave">): Promise<void> {
  const channelId = await channelIdOf(call, refOf(data));
  unsubscribe(call.ctx, call.connection, channelId);
  call.ack(`{"success":true,"channel_id":${channelId}}`);
}

/** Skips the lookup for a channel that the socket is in: a client may leave a channel that no longer exists. */
async function channelIdOf(call: Call, ref: ChannelRef): Promise<number> {
  if (ref.id === undefined && ref.slug === undefined) throw fail("channel_id_required");
  if (ref.id !== undefined && call.connection.isIn(ref.id)) return ref.id;
  const channel = await findChannel(call.ctx, ref);
  // A channel that the socket is not in may be hidden from it.
  if (channel === null || !call.connection.isIn(channel.id)) throw fail("channel_not_found");
  return channel.id;
}

async function typing(call: Call, data: CommandData<"typing:start">, isTyping: boolean): Promise<void> {
  const { ctx, connection, user } = call;
  const channel = await readableChannel(ctx, user, refOf(data));
  if (!connection.isIn(channel.id)) throw fail("not_a_member");
  // Users who may not post must not be shown as typing.
  const place = await membershipOf(ctx, user, channel);
  if (place === null) await assertNotBanned(ctx, user, channel.id);
  checkMayPost(ctx, user, channel, place);
  if (channel.direct !== null) await assertPeerNotBlocked(ctx, user, channel);
  // The socket may have left the channel during the lookup.
  if (connection.isIn(channel.id)) setTyping(ctx, connection, channel.id, isTyping, call.second);
  call.ack('{"success":true}');
}
