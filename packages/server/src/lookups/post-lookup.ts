import type { ClaimNetwork } from "@parley/protocol/claims";
import { type SlotLimits, Slots, takeTurn } from "../base/slots.ts";
import type { Config } from "../config/config.ts";
import { type AppContext, perServer } from "../context.ts";
import { AppError, fail } from "../errors.ts";
import { slowly } from "../http/acts/slow.ts";
import { addressBlock } from "../outgoing/address-rules.ts";
import { blueskyLookup } from "./bluesky.ts";
import type { PostLookup, SocialPost } from "./lookup.ts";
import { LookupClient } from "./lookup-client.ts";
import { mastodonLookup } from "./mastodon.ts";
import type { PostRef, Provider, RefOf, XRef } from "./post-url.ts";
import { twitterApiIoLookup } from "./twitterapi-io.ts";
import { xApiLookup } from "./x-api.ts";

/**
 * Look-ups at a time: in all, for one address, for its block, and in one network. An instance of Mastodon that is slow
 * leaves room for the others, and so does somebody who names slow posts.
 */
const SLOTS: SlotLimits<"block" | "network"> = {
  total: 8,
  perOwner: 2,
  shares: { block: 4, network: 6 },
  waiting: 16,
  waitMs: 6_000,
};
/** Seconds in which all who wait have had their turn. */
const RETRY_AFTER = 6;

const lookups = perServer((ctx) => ({
  by: configuredLookups(ctx.config, new LookupClient(ctx)),
  slots: new Slots(SLOTS),
}));

/** Returns the lookups the settings allow, by network. If a network has several, the first is asked first. */
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
 * Returns the post from the provider the settings name for its network. For X that is the official API; twitterapi.io
 * is the fallback if there is no other or the other failed. A missing post is an answer, not a failure. `from` is the
 * address of the caller: addresses have equal shares of the look-ups.
 * @throws post_not_found, social_lookup_failed (with `retry_after` when the network throttles us), overloaded,
 * social_lookup_not_configured
 */
export function lookupPost(ctx: AppContext, ref: PostRef, from: string): Promise<SocialPost> {
  const { by, slots } = lookups(ctx);
  const network = ref.provider === "mastodon" ? ref.instance : ref.provider;
  const claim = { owner: from, shares: { block: addressBlock(from), network } };
  const ask = () => {
    if (ref.provider === "x") return firstAnswer(by.x, ref);
    return ref.provider === "bluesky" ? firstAnswer(by.bluesky, ref) : firstAnswer(by.mastodon, ref);
  };
  return slowly(ctx, "lookup", () => takeTurn(slots, claim, { retryAfter: RETRY_AFTER }, ask));
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

type Settings = Pick<Config, "xBearerToken" | "twitterapiIoApiKey" | "blueskyApiUrl" | "mastodonInstances">;

/** Returns the networks where a post can claim a key here: those the settings allow, each by its well-known host. */
export function configuredNetworks(config: Settings): ClaimNetwork[] {
  const networks: ClaimNetwork[] = [];
  if (config.xBearerToken !== null || config.twitterapiIoApiKey !== null)
    networks.push({ provider: "x", host: "x.com" });
  if (config.blueskyApiUrl !== null) networks.push({ provider: "bluesky", host: "bsky.app" });
  for (const host of config.mastodonInstances.keys()) networks.push({ provider: "mastodon", host });
  return networks;
}
