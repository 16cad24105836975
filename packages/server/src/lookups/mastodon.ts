import { Nullable } from "@parley/protocol/values";
import { type Static, Type } from "typebox";
import { fail } from "../errors.ts";
import { Digits, expectSame, expectShape, expectTime, Handle, isPresent, unexpected } from "./answers.ts";
import { type Answer, type Api, LookupFailure } from "./fetch-json.ts";
import type { PostKind, PostLookup, SocialPost } from "./lookup.ts";
import type { LookupClient } from "./lookup-client.ts";
import { htmlToText } from "./post-text.ts";
import type { MastodonRef } from "./post-url.ts";

const Found = Type.Object({
  id: Digits,
  created_at: Type.String(),
  visibility: Type.String(),
  content: Type.String(),
  /**
   * Null unless the post is a reply. Becomes null again when the parent post is deleted; the account's id then remains.
   */
  in_reply_to_id: Nullable(Type.String()),
  in_reply_to_account_id: Nullable(Type.String()),
  reblog: Type.Optional(Type.Unknown()),
  /** Since Mastodon 4.4; present whatever happened to the quoted post. */
  quote: Type.Optional(Type.Unknown()),
  account: Type.Object({
    id: Digits,
    username: Handle,
    /** The user name alone for an account of this instance, `name@host` for others. */
    acct: Type.String(),
    suspended: Type.Optional(Type.Boolean()),
  }),
});

/** Without a credential only these are visible anyway. An instance that shows more does not decide what is public. */
const PUBLIC = ["public", "unlisted"];

/**
 * Looks up posts on the allowed Mastodon instances, each with the address of its API
 * (https://docs.joinmastodon.org/methods/statuses/#get). Only the instance's own accounts count: it has copies of
 * others under its own ids, so one account could claim once on each instance.
 */
export function mastodonLookup(
  client: LookupClient,
  { instances }: { instances: ReadonlyMap<string, string> },
): PostLookup<MastodonRef> {
  return {
    provider: "mastodon",
    async lookup({ instance, id }) {
      const origin = instances.get(instance);
      if (origin === undefined) throw fail("social_lookup_not_configured");
      const api: Api = { name: instance, origin, headers: {} };
      return client.ask(api, async (get) => readPost(instance, id, await get(`/api/v1/statuses/${id}`)));
    },
  };
}

function readPost(instance: string, id: string, { status, body }: Answer): SocialPost {
  if (status === 404 || status === 410) throw fail("post_not_found");
  if (status !== 200) throw unexpected(status);
  const { account, ...post } = expectShape(Found, body);
  expectSame(id, post.id);
  if (!PUBLIC.includes(post.visibility) || account.suspended === true) throw fail("post_not_found");
  if (account.acct !== account.username) throw new LookupFailure("the post belongs to another instance");
  return {
    provider: "mastodon",
    accountId: `${account.id}@${instance}`,
    handle: `${account.username}@${instance}`,
    text: htmlToText(post.content),
    createdAt: expectTime(post.created_at),
    kind: kindOf(post),
    url: `https://${instance}/@${account.username}/${id}`,
  };
}

function kindOf(post: Omit<Static<typeof Found>, "account">): PostKind {
  if (isPresent(post.reblog)) return "repost";
  if (post.in_reply_to_id !== null || post.in_reply_to_account_id !== null) return "reply";
  return isPresent(post.quote) ? "quote" : "original";
}
