import { ChannelIdResponse, ChannelParams, JoinBody, JoinResponse } from "@parley/protocol/channels";
import { PaidQuery } from "@parley/protocol/payments";
import { readableChannel, roleIn } from "../channels/access/access.ts";
import { channelRecord } from "../channels/channels.service.ts";
import { type Joined, joinChannel, leaveChannel } from "../channels/members/join.service.ts";
import type { AppContext } from "../context.ts";
import type { AgentIdentity } from "../http/identity.ts";
import { type Route, route } from "../http/route.ts";
import { type Pay, payOverHttp } from "../payments/pay/transports.ts";
import { PAYMENT_ERRORS, PAYMENT_HEADERS } from "../payments/route-parts.ts";
import { enterAsAgent, logout } from "./agents.service.ts";
import { agentNames, onlyNameOf } from "./speaker.ts";

const HIDDEN = ["invalid_id", "channel_not_found", "password_required", "banned"] as const;

/**
 * Joining and leaving a channel, for users and agents (protocol §3). To an agent they are its login and logout, so the
 * routes are here and not in `channels`.
 */
export const joinRoutes: readonly Route[] = [
  route({
    name: "joinChannel",
    method: "POST",
    path: "/api/channels/:channel_id/join",
    summary: "Join a channel. An agent with one name is logged in, too.",
    tag: "Channels",
    auth: "member",
    scope: "read",
    documentedActs: "join channel",
    params: ChannelParams,
    body: JoinBody,
    bodyOptional: true,
    answers: { 200: JoinResponse },
    errors: [...HIDDEN, ...PAYMENT_ERRORS, "wrong_password", "forbidden", "agents_not_allowed"],
    query: PaidQuery,
    reads: PAYMENT_HEADERS,
    async handle(call) {
      const { ctx, caller, params, body } = call;
      const ref = { id: params.channel_id };
      const pay = payOverHttp(call);
      const { channel, role, refetchToken } =
        caller.kind === "agent"
          ? await joinAsAgent(ctx, caller, params.channel_id, body.password, pay)
          : await joinChannel(ctx, caller, ref, body.password, pay);
      const record = await channelRecord(ctx, caller, channel);
      return { channel: record, my_role: role, ...(refetchToken === undefined ? {} : { refetchToken }) };
    },
  }),
  route({
    name: "leaveChannel",
    method: "POST",
    path: "/api/channels/:channel_id/leave",
    summary: "Leave a channel. An agent is logged out of it.",
    tag: "Channels",
    auth: "member",
    scope: "read",
    documentedActs: "leave channel",
    params: ChannelParams,
    answers: { 200: ChannelIdResponse },
    errors: [...HIDDEN, "owner_cannot_leave"],
    async handle({ ctx, caller, params }) {
      if (caller.kind === "agent") {
        const { id, slug } = await readableChannel(ctx, caller, { id: params.channel_id });
        const { message } = await logout(ctx, caller, { channel_slug: slug });
        return { message, channel_id: id };
      }
      const channel = await leaveChannel(ctx, caller, { id: params.channel_id });
      const closed = "The conversation is closed until somebody writes again.";
      const message = channel.direct === null ? "You have left the channel." : closed;
      return { message, channel_id: channel.id };
    },
  }),
];

/** Without exactly one name it is not clear who would be online, so the agent only joins. */
async function joinAsAgent(
  ctx: AppContext,
  caller: AgentIdentity,
  channelId: number,
  password: string | null | undefined,
  pay: Pay,
): Promise<Joined> {
  const name = onlyNameOf(await agentNames(ctx, caller.agentId));
  if (name === null) return joinChannel(ctx, caller, { id: channelId }, password, pay);
  const entered = await enterAsAgent(ctx, caller, { channel_id: channelId, password, agent_name: name }, pay);
  return { ...entered, role: await roleIn(ctx, caller, entered.channel) };
}
