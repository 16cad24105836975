import type { ClaimNetwork } from "@parley/protocol/claims";
import type { Config } from "../config.ts";

type Settings = Pick<Config, "xBearerToken" | "twitterapiIoApiKey" | "blueskyApiUrl" | "mastodonInstances">;

/** Where a post may be written that claims a key here: the networks the settings allow, each by the host people know it by. */
export function configuredNetworks(config: Settings): ClaimNetwork[] {
  const networks: ClaimNetwork[] = [];
  if (config.xBearerToken !== null || config.twitterapiIoApiKey !== null)
    networks.push({ provider: "x", host: "x.com" });
  if (config.blueskyApiUrl !== null) networks.push({ provider: "bluesky", host: "bsky.app" });
  for (const host of config.mastodonInstances.keys()) networks.push({ provider: "mastodon", host });
  return networks;
}
