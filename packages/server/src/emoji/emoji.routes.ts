import {
  AddEmojiBody,
  AddEmojiResponse,
  DeleteEmojiResponse,
  EmojiBytes,
  EmojiParams,
  EmojiPictureQuery,
  ListEmojiResponse,
} from "@parley/protocol/emoji";
import { MULTIPART_BODY_BYTES } from "@parley/protocol/limits";
import { repetition } from "@parley/protocol/values";
import { pictureCaching } from "../http/answers/cached.ts";
import { hasTag } from "../http/answers/respond.ts";
import { type Route, route } from "../http/route.ts";
import { addEmoji, deleteEmoji, listEmoji, readEmojiPicture } from "./emoji.service.ts";
import { versionOf } from "./emoji-list.ts";

const tag = "Emoji";

/** Emoji of the server (protocol §13.17). */
export const emojiRoutes: readonly Route[] = [
  route({
    name: "listEmoji",
    method: "GET",
    path: "/api/emoji",
    summary: "List the emoji of the server. Ask again with `If-None-Match` and the ETag of the last answer.",
    tag,
    auth: "guest",
    scope: "read",
    documentedActs: "read emoji",
    answers: { 200: ListEmojiResponse, 304: ListEmojiResponse },
    errors: ["session_required"],
    async handle(exchange) {
      const { ctx, caller, request } = exchange;
      const { etag, answer } = await listEmoji(ctx, caller);
      const headers = { etag, "cache-control": "private, no-cache" };
      if (hasTag(request, etag)) return new Response(null, { status: 304, headers });
      for (const [name, value] of Object.entries(headers)) exchange.headers.set(name, value);
      return answer;
    },
  }),
  route({
    name: "addEmoji",
    method: "POST",
    path: "/api/emoji",
    summary: "Add an emoji to the server, for everybody. PARLEY_CUSTOM_EMOJI says who may.",
    tag,
    auth: "session",
    documentedActs: "add emoji",
    rates: [{ policy: "uploads", by: "identity" }],
    upload: {
      field: "picture",
      missing: "file_required",
      mediaType: "image/png",
      description:
        "A PNG, JPEG or WebP of at most 512 KiB and 2,048 x 2,048 pixels, which becomes a WebP of at most 128 x 128; or a GIF of at most 256 KiB, 256 x 256 pixels, 120 frames and 4 million pixels in all.",
    },
    body: AddEmojiBody,
    bodyBytes: MULTIPART_BODY_BYTES,
    invalid: { name: "invalid_emoji_name" },
    idempotent: true,
    status: 201,
    answers: { 200: repetition(AddEmojiResponse), 201: AddEmojiResponse },
    errors: [
      "invalid_emoji_name",
      "file_too_large",
      "invalid_emoji_picture",
      "emoji_not_allowed",
      "emoji_exists",
      "emoji_limit_reached",
      "overloaded",
    ],
    async handle({ ctx, caller, file, body }) {
      const emoji = await addEmoji(ctx, caller, { name: body.name, bytes: file.bytes });
      return { message: `:${emoji.name}: is added.`, emoji };
    },
  }),
  route({
    name: "deleteEmoji",
    method: "DELETE",
    path: "/api/emoji/:name",
    summary: "Delete an emoji of the server. Messages and reactions that name it show its name.",
    tag,
    auth: "session",
    documentedActs: "delete emoji",
    params: EmojiParams,
    invalid: { name: "emoji_not_found" },
    answers: { 200: DeleteEmojiResponse },
    errors: ["emoji_not_found", "forbidden"],
    async handle({ ctx, caller, params: { name } }) {
      await deleteEmoji(ctx, caller, name);
      return { message: `:${name}: is deleted.`, name };
    },
  }),
  route({
    name: "getEmojiPicture",
    method: "GET",
    path: "/api/emoji/:name/picture",
    summary: "The picture of an emoji. With the version of its URL it never changes.",
    tag,
    auth: "guest",
    scope: "read",
    documentedActs: "read emoji",
    params: EmojiParams,
    query: EmojiPictureQuery,
    invalid: { name: "emoji_not_found" },
    answers: { 200: EmojiBytes, 304: EmojiBytes },
    mediaType: "image/*",
    errors: ["session_required", "emoji_not_found"],
    async handle({ ctx, caller, params, query, request }) {
      const isKnown = (etag: string) => hasTag(request, etag);
      const { etag, mimeType, bytes } = await readEmojiPicture(ctx, caller, params.name, isKnown);
      const headers = {
        etag,
        "cache-control": pictureCaching(ctx, query.v === versionOf(etag)),
        // Browsers may only show the response as a picture.
        "content-security-policy": "default-src 'none'; sandbox",
      };
      if (bytes === null) return new Response(null, { status: 304, headers });
      return new Response(Buffer.from(bytes), { headers: { ...headers, "content-type": mimeType } });
    },
  }),
];
