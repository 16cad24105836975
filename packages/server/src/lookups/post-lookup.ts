import type { Config } from "../config.ts";
import { type AppContext, perServer } from "../context.ts";
import { AppError, fail } from "../errors.ts";
import { blueskyLookup } from "./bluesky.ts";
import { LookupClient } from "./lookup-client.ts";
import { mastodonLookup } from "./mastodon.ts";
import type { PostRef, Provider, RefOf, XRef } from "./post-url.ts";
import { twitterApiIoLookup } from "./twitterapi-io.ts";
import { xApiLookup } from "./x-api.ts";

/** The kind of a post. Replies and quotes carry their author's words, but a stranger may have asked for them. */
export type PostKind = "original" | "repost" | "reply" | "quote";

/** A public post as its network tells it. Every field comes from the network's API, none from the address a stranger sent. */
export interface SocialPost {
  provider: Provider;
  /** Names the account for ever; handles change hands. Unique within the provider. */
  accountId: string;
  /** What the account is called now, without `@`. */
  handle: string;
  /** The complete plain text, also where a timeline shows only its beginning. A link is the text that readers see. */
  text: string;
  /** When the network had it, epoch milliseconds. */
  createdAt: number;
  kind: PostKind;
  /** Where people read it. */
  url: string;
}

/**
 * Asks a network for one post. What every implementation promises is in `post-lookup.conformance.ts`.
 * @throws post_not_found (missing, deleted, private), social_lookup_failed, overloaded; none of them carries a word of the network's.
 */
export interface PostLookup<R extends PostRef = PostRef> {
  readonly provider: R["provider"];
  lookup(ref: R): Promise<SocialPost>;
}

const lookups = perServer((ctx) => configuredLookups(ctx.config, new LookupClient(ctx)));

/** Those the settings allow, by network; of several for one, the first is asked first. */
export function configuredLookups(config: Config, client: LookupClient): { [P in Provider]: PostLookup<RefOf<P>>[] } {
  const { xBearerToken, twitterapiIoApiKey, blueskyApiUrl, mastodonInstances: instances } = config;
  const x: PostLookup<XRef>[] = [];
  if (xBearerToken !== null) x.push(xApiLookup(client, { url: config.xApiUrl, bearerToken: xBearerToken }));
  if (twitterapiIoApiKey !== null) {
    x.push(twitterApiIoLookup(client, { url: config.twitterapiIoUrl, apiKey: twitterapiIoApiKey }));
  }
  return {
    x,
    bluesky: blueskyApiUrl === null ? [] : [blueskyLookup(client, { url: blueskyApiUrl })],
    mastodon: instances.size === 0 ? [] : [mastodonLookup(client, { instances })],
  };
}

/**
 * The post, from the provider the settings name for its network. For X that is the official API; twitterapi.io is asked when there is
 * no other, or the other failed. That a post is missing is an answer, not a failure.
 * @throws post_not_found, social_lookup_failed (with `retry_after` when the network limits us), overloaded, social_lookup_not_configured
 */
export function lookupPost(ctx: AppContext, ref: PostRef): Promise<SocialPost> {
  const { x, bluesky, mastodon } = lookups(ctx);
  if (ref.provider === "x") return firstAnswer(x, ref);
  return ref.provider === "bluesky" ? firstAnswer(bluesky, ref) : firstAnswer(mastodon, ref);
}

async function firstAnswer<R extends PostRef>(lookups: readonly PostLookup<R>[], ref: R): Promise<SocialPost> {
  let failure = fail("social_lookup_not_configured");
  for (const lookup of lookups) {
    try {
      return await lookup.lookup(ref);
    } catch (error) {
      if (!(error instanceof AppError && error.code === "social_lookup_failed")) throw error;
      failure = error;
    }
  }
  throw failure;
}
