import { type Static, Type } from "typebox";
import { EMOJI_NAME_MAX, EMOJI_PER_SERVER } from "./emoji-limits.ts";
import { HumanText, model, Nullable, response, Timestamp } from "./values.ts";

/** The users who may add emoji to the server (protocol §13.17). */
export const CustomEmojiPolicy = Type.Enum(["members", "administrators", "off"], {
  description:
    "Who may add emoji to the server (protocol §13.17, PARLEY_CUSTOM_EMOJI). `off`: the server has no emoji of its own.",
});
export type CustomEmojiPolicy = Static<typeof CustomEmojiPolicy>;

/** An emoji of the server: a picture with a name (protocol §13.17). */
export const Emoji = model("Emoji", "An emoji of the server: a picture that people write as `:name:`.", {
  name: Type.String({ description: "Without colons. As a reaction it is this text." }),
  url: Type.String({ description: "Its picture on this server. The URL changes with the picture: cache it for ever." }),
  mime_type: Type.Enum(["image/webp", "image/gif"]),
  width: Type.Integer({ minimum: 1 }),
  height: Type.Integer({ minimum: 1 }),
  is_animated: Type.Boolean(),
  username: Nullable(Type.String({ description: "The user who added it; null: the account was deleted." })),
  created_at: Timestamp,
});
export type Emoji = Static<typeof Emoji>;

/** Text fields of POST /api/emoji, multipart/form-data, beside its `picture`. */
export const AddEmojiBody = Type.Object({
  name: Type.String({
    maxLength: EMOJI_NAME_MAX,
    description:
      "2 to 32 characters of a-z, 0-9, `_` and `-`, the first a letter or a digit; not the name of an emoji of Unicode or of this server.",
  }),
});
export type AddEmojiBody = Static<typeof AddEmojiBody>;

/** Response of POST /api/emoji. */
export const AddEmojiResponse = response({ message: HumanText, emoji: Emoji });
export type AddEmojiResponse = Static<typeof AddEmojiResponse>;

/** Response of GET /api/emoji: all of them, in the order of their names. */
export const ListEmojiResponse = response({ emoji: Type.Array(Emoji, { maxItems: EMOJI_PER_SERVER }) });
export type ListEmojiResponse = Static<typeof ListEmojiResponse>;

/** /api/emoji/:name and below. */
export const EmojiParams = Type.Object({ name: Type.String({ maxLength: EMOJI_NAME_MAX }) });
export type EmojiParams = Static<typeof EmojiParams>;

/** GET /api/emoji/:name/picture */
export const EmojiPictureQuery = Type.Object({
  v: Type.Optional(Type.String({ maxLength: 64, description: "The version in the emoji's `url`." })),
});
export type EmojiPictureQuery = Static<typeof EmojiPictureQuery>;
export const EmojiBytes = Type.String({ format: "binary", description: "The picture, a WebP or a GIF." });

/** Response of DELETE /api/emoji/:name. */
export const DeleteEmojiResponse = response({ message: HumanText, name: Type.String() });
export type DeleteEmojiResponse = Static<typeof DeleteEmojiResponse>;

/** The arguments of the tool `list_emoji`. */
export const ListEmojiInput = Type.Object({});
/** Its answer. */
export const EmojiNames = response({
  names: Type.Array(Type.String(), { description: "The names of all emoji of the server, without colons." }),
});

/** The events of emoji, a part of `EVENTS` (events.ts). */
export const EMOJI_EVENTS = {
  "emoji:update": {
    summary:
      "Somebody added an emoji to the server, deleted it (null), or it no longer says who added it. Sent to all sockets that may read emoji.",
    data: Type.Object({ name: Type.String(), emoji: Nullable(Emoji) }),
    durable: false,
  },
} as const;
