import { ChannelParams } from "@parley/protocol/channels";
import {
  BanBody,
  BanParams,
  BanResponse,
  BansQuery,
  BansResponse,
  LiftedBanResponse,
} from "@parley/protocol/moderation";
import { ReadyJson, type Route, route } from "../../http/route.ts";
import { ban, bansOf, liftBan } from "./bans.service.ts";

const tag = "Channels";
/** Errors for a channel the caller may not manage. */
const REFUSED = ["invalid_id", "channel_not_found", "password_required", "banned", "forbidden"] as const;

/** Routes for channel bans (protocol §3, §11). */
export const banRoutes: readonly Route[] = [
  route({
    name: "ban",
    method: "POST",
    path: "/api/channels/:channel_id/bans",
    summary: "Ban a user or agent from a channel, until a time or until the ban is lifted",
    tag,
    auth: "session",
    documentedActs: "moderate",
    params: ChannelParams,
    body: BanBody,
    status: 201,
    answers: { 200: BanResponse, 201: BanResponse },
    errors: [...REFUSED, "user_not_found", "agent_not_found", "owner_cannot_leave"],
    idempotent: true,
    async handle({ ctx, caller, params, body }) {
      const { channel, ban: record, created } = await ban(ctx, caller, { id: params.channel_id }, body);
      const message = created ? "The ban is in force." : "The ban is replaced.";
      const answer = { success: true, message, channel_id: channel.id, ban: record };
      return new ReadyJson(JSON.stringify(answer), created ? 201 : 200);
    },
  }),
  route({
    name: "listBans",
    method: "GET",
    path: "/api/channels/:channel_id/bans",
    summary: "List who is banned from a channel",
    tag,
    auth: "session",
    documentedActs: "moderate",
    params: ChannelParams,
    query: BansQuery,
    answers: { 200: BansResponse },
    errors: REFUSED,
    handle: ({ ctx, caller, params, query }) => bansOf(ctx, caller, { id: params.channel_id }, query),
  }),
  route({
    name: "liftBan",
    method: "DELETE",
    path: "/api/channels/:channel_id/bans/:name",
    summary: "Lift a ban",
    tag,
    auth: "session",
    documentedActs: "moderate",
    params: BanParams,
    answers: { 200: LiftedBanResponse },
    errors: [...REFUSED, "ban_not_found"],
    async handle({ ctx, caller, params }) {
      const { channel, name } = await liftBan(ctx, caller, { id: params.channel_id }, params.name);
      return { message: "The ban is lifted.", channel_id: channel.id, name };
    },
  }),
];
