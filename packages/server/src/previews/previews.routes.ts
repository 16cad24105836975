import { FileBytes } from "@parley/protocol/files";
import {
  PreviewParams,
  PreviewPictureParams,
  RemovePreviewQuery,
  RemovePreviewResponse,
} from "@parley/protocol/previews";
import { type Route, route } from "../http/route.ts";
import { previewPicture, removePreview } from "./previews.service.ts";

const CHANNEL_ERRORS = ["channel_not_found", "password_required", "banned"] as const;

/** Previews of links (protocol §13.4). */
export const previewRoutes: readonly Route[] = [
  route({
    name: "removePreview",
    method: "DELETE",
    path: "/api/messages/:messageId/previews/:index",
    summary: "Remove a preview of a link from a message, for everyone.",
    tag: "Messages",
    auth: "member",
    scope: "send",
    documentedActs: "remove preview",
    params: PreviewParams,
    query: RemovePreviewQuery,
    invalid: { index: "preview_not_found" },
    answers: { 200: RemovePreviewResponse },
    errors: [...CHANNEL_ERRORS, "message_not_found", "forbidden", "message_deleted", "preview_not_found"],
    async handle({ ctx, caller, params, query }) {
      const { messageId, index } = params;
      const previews = await removePreview(ctx, caller, messageId, { index, url: query.url });
      return { message: "The preview is removed.", message_id: messageId, previews };
    },
  }),
  route({
    name: "getPreviewPicture",
    method: "GET",
    path: "/api/preview-pictures/:picture_id",
    summary: "The picture of a preview, as WebP.",
    tag: "Messages",
    auth: "guest",
    scope: "read",
    documentedActs: "read preview pictures",
    params: PreviewPictureParams,
    invalid: { picture_id: "preview_not_found" },
    answers: { 200: FileBytes, 206: FileBytes, 302: FileBytes, 304: FileBytes, 416: FileBytes },
    mediaType: "image/webp",
    errors: ["session_required", "preview_not_found", "payment_required", "payments_not_configured", "banned"],
    handle: ({ ctx, caller, params, request }) => previewPicture(ctx, caller, params.picture_id, request),
  }),
];
