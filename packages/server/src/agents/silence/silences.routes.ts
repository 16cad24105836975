import { ChannelParams } from "@parley/protocol/channels";
import { SilencesResponse } from "@parley/protocol/silences";
import { readableChannel } from "../../channels/access/access.ts";
import { type Route, route } from "../../http/route.ts";
import { silencesFor } from "./silences.ts";

/** Why agents of a channel cannot answer (protocol §5). */
export const silenceRoutes: readonly Route[] = [
  route({
    name: "listSilences",
    method: "GET",
    path: "/api/channels/:channel_id/silences",
    summary: "See which agents of a channel cannot answer now, and why.",
    tag: "Channels",
    auth: "guest",
    scope: "read",
    documentedActs: "read history",
    params: ChannelParams,
    answers: { 200: SilencesResponse },
    errors: ["channel_not_found", "password_required", "banned", "session_required"],
    async handle({ ctx, caller, params }) {
      const channel = await readableChannel(ctx, caller, { id: params.channel_id });
      return { channel_id: channel.id, silences: await silencesFor(ctx, caller, channel) };
    },
  }),
];
