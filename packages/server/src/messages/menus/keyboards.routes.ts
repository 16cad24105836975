import { ChannelParams, KeyboardsResponse } from "@parley/protocol/channels";
import { ReadyJson, type Route, route } from "../../http/route.ts";
import { keyboardsFor } from "./keyboards.service.ts";

export const keyboardRoutes: readonly Route[] = [
  route({
    name: "listKeyboards",
    method: "GET",
    path: "/api/channels/:channel_id/keyboards",
    summary: "See which buttons above the composer a bot shows to the caller, however old their message is.",
    tag: "Messages",
    auth: "guest",
    scope: "read",
    documentedActs: "read history",
    params: ChannelParams,
    answers: { 200: KeyboardsResponse },
    errors: ["channel_not_found", "password_required", "banned", "session_required"],
    async handle({ ctx, caller, params }) {
      const { channel, messagesJson } = await keyboardsFor(ctx, caller, params.channel_id);
      return new ReadyJson(`{"success":true,"channel_id":${channel.id},"messages":${messagesJson}}`, 200);
    },
  }),
];
