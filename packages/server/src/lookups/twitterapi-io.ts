import { type Static, Type } from "typebox";
import { Check } from "typebox/value";
import { fail } from "../errors.ts";
import { Digits, expectShape, expectTime, Handle, isPresent, unexpected } from "./answers.ts";
import { type Answer, type Api, LookupFailure } from "./fetch-json.ts";
import type { PostKind, PostLookup, SocialPost } from "./lookup.ts";
import type { LookupClient } from "./lookup-client.ts";
import { textOfX } from "./post-text.ts";
import type { XRef } from "./post-url.ts";

/** Errors may also have HTTP 200, with `status` `error`. A missing post is absent from the list. */
const Found = Type.Object({ status: Type.String(), tweets: Type.Array(Type.Unknown()) });
const WithId = Type.Object({ id: Digits });
const Tweet = Type.Object({
  text: Type.String(),
  createdAt: Type.String(),
  author: Type.Object({ id: Digits, userName: Handle, unavailable: Type.Optional(Type.Unknown()) }),
  /** Always sent, according to the documentation; the ids only for replies. */
  isReply: Type.Boolean(),
  inReplyToId: Type.Optional(Type.Unknown()),
  inReplyToUserId: Type.Optional(Type.Unknown()),
  quoted_tweet: Type.Optional(Type.Unknown()),
  retweeted_tweet: Type.Optional(Type.Unknown()),
  entities: Type.Optional(Type.Object({ urls: Type.Optional(Type.Unknown()) })),
});

/** Looks up posts on X by twitterapi.io (https://docs.twitterapi.io/api-reference/endpoint/get_tweet_by_ids). */
export function twitterApiIoLookup(
  client: LookupClient,
  { url, apiKey }: { url: string; apiKey: string },
): PostLookup<XRef> {
  const api: Api = { name: "twitterapi.io", origin: url, headers: { "x-api-key": apiKey } };
  return {
    provider: "x",
    lookup: ({ id }) => client.ask(api, async (get) => readPost(id, await get("/twitter/tweets", { tweet_ids: id }))),
  };
}

function readPost(id: string, { status, body }: Answer): SocialPost {
  if (status !== 200) throw unexpected(status);
  const answer = expectShape(Found, body);
  if (answer.status !== "success") throw new LookupFailure("it returned an error");
  const found = answer.tweets.find((tweet) => Check(WithId, tweet) && tweet.id === id);
  if (found === undefined) throw fail("post_not_found");
  const tweet = expectShape(Tweet, found);
  const { author, text, createdAt, entities } = tweet;
  if (author.unavailable === true) throw fail("post_not_found");
  return {
    provider: "x",
    accountId: author.id,
    handle: author.userName,
    text: textOfX(text, entities?.urls),
    createdAt: expectTime(createdAt),
    kind: kindOf(tweet),
    url: `https://x.com/${author.userName}/status/${id}`,
  };
}

function kindOf(tweet: Static<typeof Tweet>): PostKind {
  // X itself puts this prefix before the text of a repost.
  if (Check(WithId, tweet.retweeted_tweet) || tweet.text.startsWith("RT @")) return "repost";
  if (tweet.isReply || isPresent(tweet.inReplyToId) || isPresent(tweet.inReplyToUserId)) return "reply";
  return Check(WithId, tweet.quoted_tweet) ? "quote" : "original";
}
