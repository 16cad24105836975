import { DescribeFileBody, FILE_READ_ONLY, FileParams, FileResponse } from "@parley/protocol/files";
import { type Route, route } from "../../http/route.ts";
import { describeOwnFile } from "./describe-file.ts";

/** The route of protocol §13.2 that may change a message. */
export const describeFileRoutes: readonly Route[] = [
  route({
    name: "describeFile",
    method: "PUT",
    path: "/api/files/:file_id",
    summary: "Change the description of the caller's own file. If it was sent, its message is edited.",
    tag: "Files",
    auth: "member",
    scope: "send",
    documentedActs: "describe file",
    params: FileParams,
    body: DescribeFileBody,
    readOnly: FILE_READ_ONLY,
    answers: { 200: FileResponse },
    errors: [
      "file_not_found",
      "forbidden",
      "payment_required",
      "payments_not_configured",
      "banned",
      "muted",
      "post_policy",
      "blocked",
      "user_blocked",
      "direct_not_allowed",
      "agents_not_allowed",
      "message_has_interaction",
    ],
    handle: async ({ ctx, caller, params, body }) => ({
      file: await describeOwnFile(ctx, caller, params.file_id, body.alt_text),
    }),
  }),
];
