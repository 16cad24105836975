import { type Static, Type } from "typebox";
import { Check } from "typebox/value";
import { fail } from "../errors.ts";
import { Digits, expectSame, expectShape, expectTime, Handle, isPresent, unexpected } from "./answers.ts";
import { type Answer, type Api, LookupFailure } from "./fetch-json.ts";
import type { PostKind, PostLookup, SocialPost } from "./lookup.ts";
import type { LookupClient } from "./lookup-client.ts";
import { textOfX } from "./post-text.ts";
import type { XRef } from "./post-url.ts";

/** A long post has its complete text in `note_tweet` and only its beginning in `text`. */
const FIELDS = {
  "tweet.fields": "conversation_id,created_at,entities,in_reply_to_user_id,note_tweet,referenced_tweets",
  expansions: "author_id",
  "user.fields": "username,protected",
};

const Entities = Type.Optional(Type.Object({ urls: Type.Optional(Type.Unknown()) }));
const Found = Type.Object({
  data: Type.Object({
    id: Digits,
    author_id: Digits,
    created_at: Type.String(),
    text: Type.String(),
    entities: Entities,
    note_tweet: Type.Optional(Type.Object({ text: Type.String(), entities: Entities })),
    /**
     * Always sent: the post that began the conversation. Unless this is a reply, that is this post or an earlier
     * version of it.
     */
    conversation_id: Digits,
    edit_history_tweet_ids: Type.Optional(Type.Array(Type.String())),
    in_reply_to_user_id: Type.Optional(Type.Unknown()),
    referenced_tweets: Type.Optional(Type.Array(Type.Object({ type: Type.String() }))),
  }),
  includes: Type.Object({
    users: Type.Array(Type.Object({ id: Digits, username: Handle, protected: Type.Optional(Type.Boolean()) })),
  }),
});

/** Missing, deleted, protected and suspended posts all return 200, no `data`, and problems identified by `type`. */
const Problems = Type.Object({ errors: Type.Array(Type.Object({ type: Type.String() }), { minItems: 1 }) });
const NOT_FOUND = /\/problems\/(resource-not-found|not-authorized-for-resource|resource-unavailable)$/;

/** Looks up posts on X by the official API, version 2 (https://docs.x.com/x-api/posts/get-post-by-id). */
export function xApiLookup(
  client: LookupClient,
  { url, bearerToken }: { url: string; bearerToken: string },
): PostLookup<XRef> {
  const api: Api = { name: "X API", origin: url, headers: { authorization: `Bearer ${bearerToken}` } };
  return {
    provider: "x",
    lookup: ({ id }) => client.ask(api, async (get) => readPost(id, await get(`/2/tweets/${id}`, FIELDS))),
  };
}

function readPost(id: string, { status, body }: Answer): SocialPost {
  if (isAbsent(body)) throw fail("post_not_found");
  if (status !== 200) throw unexpected(status);
  const { data, includes } = expectShape(Found, body);
  expectSame(id, data.id);
  const author = includes.users.find((user) => user.id === data.author_id);
  if (author === undefined) throw new LookupFailure("its response names no author");
  if (author.protected === true) throw fail("post_not_found");
  return {
    provider: "x",
    accountId: author.id,
    handle: author.username,
    text: textOf(data),
    createdAt: expectTime(data.created_at),
    kind: kindOf(data),
    url: `https://x.com/${author.username}/status/${id}`,
  };
}

type Tweet = Static<typeof Found>["data"];

function textOf({ text, entities, note_tweet: note }: Tweet): string {
  return note === undefined ? textOfX(text, entities?.urls) : textOfX(note.text, note.entities?.urls);
}

/** A post without references whose conversation began elsewhere is a reply too: its parent post was deleted. */
function kindOf(tweet: Tweet): PostKind {
  const types = tweet.referenced_tweets?.map(({ type }) => type) ?? [];
  if (types.includes("retweeted")) return "repost";
  const versions = [tweet.id, ...(tweet.edit_history_tweet_ids ?? [])];
  if (isPresent(tweet.in_reply_to_user_id) || !versions.includes(tweet.conversation_id)) return "reply";
  if (types.length === 0) return "original";
  return types.every((type) => type === "quoted") ? "quote" : "reply";
}

/** Problems beside `data` concern something else, such as a deleted quoted post. */
function isAbsent(body: unknown): boolean {
  return Check(Problems, body) && !("data" in body) && body.errors.every(({ type }) => NOT_FOUND.test(type));
}
