import { type Static, Type } from "typebox";
import { STICKER_NAME_MAX } from "./limits.ts";
import { Sticker } from "./models.ts";
import { HumanText, Id, response } from "./values.ts";

/** Text fields of POST /api/stickers/upload, multipart/form-data, beside its `file` (protocol §4). */
export const UploadStickerBody = Type.Object({
  sticker_name: Type.Optional(
    Type.String({ maxLength: STICKER_NAME_MAX, description: "The file's name without its extension by default." }),
  ),
});
export type UploadStickerBody = Static<typeof UploadStickerBody>;

/** Sticker fields set by the server: a request with one is refused (protocol §0). */
export const STICKER_READ_ONLY = ["id", "sticker_id"] as const;

/**
 * Answer of the upload: 201, or 200 with `deduplicated` if the user already has a sticker with these bytes
 * (protocol §4).
 */
export const UploadStickerResponse = response({
  message: HumanText,
  sticker_id: Id,
  sticker: Sticker,
  deduplicated: Type.Optional(Type.Boolean()),
});
export type UploadStickerResponse = Static<typeof UploadStickerResponse>;

/**
 * GET /api/stickers. Without a name it lists the caller's own; callers other than users must name a user (protocol §4).
 */
export const ListStickersQuery = Type.Object({ username: Type.Optional(Type.String({ minLength: 1 })) });
export type ListStickersQuery = Static<typeof ListStickersQuery>;

/** Response of GET /api/stickers: all of the user's, in order of creation; at most 100 (protocol §4). */
export const ListStickersResponse = response({ username: Type.String(), stickers: Type.Array(Sticker) });
export type ListStickersResponse = Static<typeof ListStickersResponse>;

/** /api/stickers/:sticker_id and below. */
export const StickerParams = Type.Object({ sticker_id: Id });
export type StickerParams = Static<typeof StickerParams>;

/** Response of DELETE /api/stickers/:sticker_id (protocol §4). */
export const DeleteStickerResponse = response({ message: HumanText, sticker_id: Id });
export type DeleteStickerResponse = Static<typeof DeleteStickerResponse>;

/** Bytes of GET /api/stickers/:sticker_id/file (protocol §4). */
export const StickerBytes = Type.String({ format: "binary", description: "The GIF as it was uploaded." });
