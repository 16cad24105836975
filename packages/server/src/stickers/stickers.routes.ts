import { MULTIPART_BODY_BYTES } from "@parley/protocol/limits";
import {
  DeleteStickerResponse,
  ListStickersQuery,
  ListStickersResponse,
  STICKER_READ_ONLY,
  StickerBytes,
  StickerParams,
  UploadStickerBody,
  UploadStickerResponse,
} from "@parley/protocol/stickers";
import { pictureCaching } from "../http/answers/cached.ts";
import { hasTag } from "../http/answers/respond.ts";
import { ReadyJson, type Route, route } from "../http/route.ts";
import { deleteSticker, listStickers, readStickerFile, uploadSticker } from "./stickers.service.ts";

const tag = "Stickers";

/** Routes of protocol §4. */
export const stickerRoutes: readonly Route[] = [
  route({
    name: "uploadSticker",
    method: "POST",
    path: "/api/stickers/upload",
    summary: "Upload a GIF as a sticker. Uploading the same GIF again returns the existing sticker.",
    tag,
    auth: "session",
    documentedActs: "upload sticker",
    rates: [{ policy: "uploads", by: "identity" }],
    upload: {
      field: "file",
      missing: "file_required",
      mediaType: "image/gif",
      description: "GIF87a or GIF89a: at most 512 KiB, 512 x 512 pixels, 120 frames, 16 million pixels in all.",
    },
    body: UploadStickerBody,
    bodyBytes: MULTIPART_BODY_BYTES,
    readOnly: STICKER_READ_ONLY,
    idempotent: true,
    status: 201,
    answers: { 201: UploadStickerResponse, 200: UploadStickerResponse },
    errors: ["file_too_large", "not_a_gif", "gif_limits", "sticker_limit_reached", "overloaded"],
    async handle({ ctx, caller, file, body }) {
      const { sticker, created } = await uploadSticker(ctx, caller, file, body.sticker_name);
      const { sticker_id } = sticker;
      if (created) return { message: "The sticker is uploaded.", sticker_id, sticker };
      const old = { success: true, message: "You have this sticker already.", sticker_id, sticker, deduplicated: true };
      return new ReadyJson(JSON.stringify(old), 200);
    },
  }),
  route({
    name: "listStickers",
    method: "GET",
    path: "/api/stickers",
    summary: "List a user's stickers, by default the caller's own.",
    tag,
    auth: "guest",
    scope: "read",
    documentedActs: "read stickers",
    query: ListStickersQuery,
    invalid: { username: ["username_required", "user_not_found"] },
    answers: { 200: ListStickersResponse },
    errors: ["session_required", "username_required", "user_not_found"],
    handle: ({ ctx, caller, query }) => listStickers(ctx, caller, query.username),
  }),
  route({
    name: "deleteSticker",
    method: "DELETE",
    path: "/api/stickers/:sticker_id",
    summary: "Delete a sticker. Messages that contain it still show it.",
    tag,
    auth: "session",
    documentedActs: "delete sticker",
    params: StickerParams,
    answers: { 200: DeleteStickerResponse },
    errors: ["sticker_not_found"],
    async handle({ ctx, caller, params }) {
      await deleteSticker(ctx, caller, params.sticker_id);
      return { message: "The sticker is deleted.", sticker_id: params.sticker_id };
    },
  }),
  route({
    name: "getStickerFile",
    method: "GET",
    path: "/api/stickers/:sticker_id/file",
    summary: "The GIF file. It never changes, so clients can cache it for ever.",
    tag,
    auth: "guest",
    scope: "read",
    documentedActs: "read stickers",
    params: StickerParams,
    answers: { 200: StickerBytes, 304: StickerBytes },
    mediaType: "image/gif",
    errors: ["session_required", "sticker_not_found"],
    async handle({ ctx, caller, params, request }) {
      const { etag, bytes } = await readStickerFile(ctx, caller, params.sticker_id, (etag) => hasTag(request, etag));
      const headers = {
        etag,
        "cache-control": pictureCaching(ctx, true),
        // Browsers may only show the response as a picture.
        "content-security-policy": "default-src 'none'; sandbox",
      };
      if (bytes === null) return new Response(null, { status: 304, headers });
      return new Response(Buffer.from(bytes), { headers: { ...headers, "content-type": "image/gif" } });
    },
  }),
];
