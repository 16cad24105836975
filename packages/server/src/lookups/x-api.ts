import { Type } from "typebox";
import { Check } from "typebox/value";
import { fail } from "../errors.ts";
import { Digits, expectSame, expectShape, expectTime, Handle, unexpected } from "./answers.ts";
import { type Answer, type Api, LookupFailure } from "./fetch-json.ts";
import type { LookupClient } from "./lookup-client.ts";
import type { PostLookup, SocialPost } from "./post-lookup.ts";
import type { XRef } from "./post-url.ts";

/** The long text of a post stands in `note_tweet`; `text` is then its beginning. */
const FIELDS = {
  "tweet.fields": "created_at,note_tweet,referenced_tweets",
  expansions: "author_id",
  "user.fields": "username,protected",
};

const Found = Type.Object({
  data: Type.Object({
    id: Digits,
    author_id: Digits,
    created_at: Type.String(),
    text: Type.String(),
    note_tweet: Type.Optional(Type.Object({ text: Type.String() })),
    referenced_tweets: Type.Optional(Type.Array(Type.Object({ type: Type.String() }))),
  }),
  includes: Type.Object({
    users: Type.Array(Type.Object({ id: Digits, username: Handle, protected: Type.Optional(Type.Boolean()) })),
  }),
});

/** Missing, deleted, protected and suspended alike come with 200, no `data`, and problems that a `type` names. */
const Problems = Type.Object({ errors: Type.Array(Type.Object({ type: Type.String() }), { minItems: 1 }) });
const NOT_FOUND = /\/problems\/(resource-not-found|not-authorized-for-resource|resource-unavailable)$/;

/** Posts on X by the official API, version 2 (https://docs.x.com/x-api/posts/get-post-by-id). */
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
  if (author === undefined) throw new LookupFailure("its answer names no author");
  if (author.protected === true) throw fail("post_not_found");
  return {
    provider: "x",
    accountId: author.id,
    handle: author.username,
    text: data.note_tweet?.text ?? data.text,
    createdAt: expectTime(data.created_at),
    isRepost: data.referenced_tweets?.some(({ type }) => type === "retweeted") ?? false,
    url: `https://x.com/${author.username}/status/${id}`,
  };
}

/** Problems beside `data` speak of something else, such as a quoted post that is gone. */
function isAbsent(body: unknown): boolean {
  return Check(Problems, body) && !("data" in body) && body.errors.every(({ type }) => NOT_FOUND.test(type));
}
