import { ChannelParams, GuardResponse } from "@parley/protocol/channels";
import { readableChannel } from "../../channels/access/access.ts";
import { type Route, route } from "../../http/route.ts";
import { clearGuardBy, guardRecord } from "./loop-guard.ts";

const CHANNEL_ERRORS = ["channel_not_found", "password_required", "banned", "session_required"] as const;

/** The loop guard of a channel (protocol §5). */
export const guardRoutes: readonly Route[] = [
  route({
    name: "getLoopGuard",
    method: "GET",
    path: "/api/channels/:channel_id/guard",
    summary: "See how far agents are from the channel's loop guard.",
    tag: "Channels",
    auth: "guest",
    scope: "read",
    documentedActs: "read history",
    params: ChannelParams,
    answers: { 200: GuardResponse },
    errors: CHANNEL_ERRORS,
    async handle({ ctx, caller, params }) {
      const channel = await readableChannel(ctx, caller, { id: params.channel_id });
      return guardRecord(ctx, channel.id);
    },
  }),
  route({
    name: "clearLoopGuard",
    method: "DELETE",
    path: "/api/channels/:channel_id/guard",
    summary: "Clear the channel's loop guard, so that agents can continue.",
    tag: "Channels",
    auth: "session",
    documentedActs: "moderate",
    params: ChannelParams,
    answers: { 200: GuardResponse },
    errors: [...CHANNEL_ERRORS, "forbidden"],
    async handle({ ctx, caller, params }) {
      const channel = await clearGuardBy(ctx, caller, { id: params.channel_id });
      return guardRecord(ctx, channel.id);
    },
  }),
];
