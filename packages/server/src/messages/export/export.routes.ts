import { ChannelParams } from "@parley/protocol/channels";
import { RATES } from "@parley/protocol/limits";
import { ChannelExport, ChannelExportLine, ChannelExportQuery } from "@parley/protocol/privacy";
import { AppError } from "../../errors.ts";
import { streamed } from "../../http/answers/streamed.ts";
import { identitySubject } from "../../http/rates.ts";
import { type Route, route } from "../../http/route.ts";
import { payOverHttp } from "../../payments/pay/transports.ts";
import { PAYMENT_ERRORS, PAYMENT_HEADERS } from "../../payments/route-parts.ts";
import { channelExport, exportableChannel } from "./export.ts";

/**
 * Routes for channel exports (protocol §7, §11). POST is for clients that send their proof of payment that way
 * (protocol §2).
 */
export const exportRoutes: readonly Route[] = (["GET", "POST"] as const).map((method) =>
  route({
    name: method === "GET" ? "exportChannel" : "exportPaidChannel",
    method,
    path: "/api/channels/:channel_id/export",
    summary:
      "Download a copy of a channel, as JSON Lines or as one document. A copy without `complete: true` at its end is incomplete.",
    tag: "Channels",
    auth: "guest",
    scope: "read",
    documentedActs: "copy channel",
    params: ChannelParams,
    query: ChannelExportQuery,
    rates: [{ policy: "export", by: "identity" }],
    answers: { 200: ChannelExportLine },
    mediaType: "application/x-ndjson",
    otherForms: { 200: { "application/json": ChannelExport } },
    reads: PAYMENT_HEADERS,
    errors: [
      "invalid_id",
      "session_required",
      "forbidden",
      "password_required",
      "banned",
      "channel_not_found",
      ...PAYMENT_ERRORS,
    ],
    async handle(call) {
      const { ctx, caller, params, query } = call;
      const isTaken = call.request.method !== "HEAD";
      const found = exportableChannel(ctx, caller, params.channel_id, payOverHttp(call), isTaken);
      const channel = await found.catch((error) => {
        // Unpaid requests do not count against the rate limit: paying for an export takes more than one request.
        const isUnpaid = error instanceof AppError && error.status === 402;
        if (isUnpaid) ctx.limiter.giveBack(RATES.export, identitySubject(caller, call));
        throw error;
      });
      const format = query.format ?? "jsonl";
      const type = format === "json" ? "application/json" : "application/x-ndjson";
      return streamed(ctx, channelExport(ctx, caller, channel, format), type, `${channel.slug}.${format}`);
    },
  }),
);
