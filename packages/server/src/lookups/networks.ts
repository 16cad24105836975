import type { ClaimNetwork } from "@parley/protocol/claims";
import type { Config } from "../config/config.ts";

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
