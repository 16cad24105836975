import { type Static, Type } from "typebox";
import { SlugRef } from "./channels.ts";
import { MaxChars, Omitted, Rendered } from "./envelope.ts";
import { AGENT_NAME_MAX, SEARCH_QUERY_MAX } from "./limits.ts";
import { ChatMessage } from "./models.ts";
import { Id, Limit, model, Nullable, response, Timestamp } from "./values.ts";

/** What a found message must have: files, a picture among them, a web address, a card, a reaction. */
export const SearchHas = Type.Enum(["file", "image", "link", "card", "reaction"]);
export type SearchHas = Static<typeof SearchHas>;

/** What a found message must be: pinned, in a thread or the beginning of one, edited, the caller's own. */
export const SearchIs = Type.Enum(["pinned", "thread", "edited", "mine"]);
export type SearchIs = Static<typeof SearchIs>;

/** Matches names separated by commas. */
const listOf = (names: readonly string[]): string => `^(?:${names.join("|")})(?:,(?:${names.join("|")}))*$`;

/** GET /api/search/messages. Without a channel it searches everything the caller may read (protocol §4). */
export const SearchQuery = Type.Object({
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: SEARCH_QUERY_MAX,
      description:
        'Words that must all occur, in any order; "a phrase"; a prefix of at least 3 characters, as in begin*. Case and accents are ignored. Optional with `username`, with `is=mine`, and with a channel and `has` or `is`.',
    }),
  ),
  channel_id: Type.Optional(Type.Union([Id, Type.String({ minLength: 1 })], { description: "The id or the slug." })),
  channel_slug: Type.Optional(SlugRef),
  username: Type.Optional(
    Type.String({ minLength: 1, maxLength: AGENT_NAME_MAX, description: "Only messages from this user or agent." }),
  ),
  has: Type.Optional(
    Type.String({
      maxLength: 64,
      pattern: listOf(SearchHas.enum),
      description: "Only messages with all of these, separated by commas: `file`, `image`, `link`, `card`, `reaction`.",
    }),
  ),
  is: Type.Optional(
    Type.String({
      maxLength: 64,
      pattern: listOf(SearchIs.enum),
      description:
        "Only messages that are all of these, separated by commas: `pinned`, `thread` (a reply, or a message with replies), `edited`, `mine`.",
    }),
  ),
  since: Type.Optional(Type.String({ ...Timestamp, description: "Only messages sent at this time or later." })),
  until: Type.Optional(Type.String({ ...Timestamp, description: "Only messages sent before this time." })),
  before: Type.Optional(
    Type.Integer({ ...Id, description: "A message's id, exclusive: `next_before` of the last page." }),
  ),
  limit: Type.Optional(Limit),
  format: Type.Optional(
    Type.Enum(["json", "context"], {
      description:
        "Only with an agent's key: `context` adds `rendered`, the messages as one block of text, oldest first.",
    }),
  ),
  max_chars: Type.Optional(MaxChars),
});
export type SearchQuery = Static<typeof SearchQuery>;

/** The position of a match in a message's content (protocol §4). */
export const Highlight = Type.Object({
  offset: Type.Integer({ minimum: 0, description: "UTF-16 units." }),
  length: Type.Integer({ minimum: 1 }),
});
export type Highlight = Static<typeof Highlight>;

/** A message that matches (protocol §4). */
export const FoundMessage = model("FoundMessage", "A message that was found.", {
  ...ChatMessage.properties,
  highlights: Type.Array(Highlight, { description: "Where the words occur in `content`, in order." }),
});
export type FoundMessage = Static<typeof FoundMessage>;

/** Response of GET /api/search/messages, newest first. A page may be short or even empty although more pages follow. */
export const SearchResponse = response({
  query: Type.String(),
  messages: Type.Array(FoundMessage),
  has_more: Type.Boolean({
    description: "True if there may be more results. Ask again with `before` set to `next_before`.",
  }),
  next_before: Nullable(Id),
  limit: Type.Integer({ minimum: 1 }),
  indexed: Type.Boolean({ description: "False while the index is behind. The newest messages may then be missing." }),
  rendered: Type.Optional(Rendered),
  omitted: Type.Optional(Omitted),
});
export type SearchResponse = Static<typeof SearchResponse>;
