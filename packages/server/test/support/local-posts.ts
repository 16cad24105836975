import type { FakeNetworks } from "../../../../examples/key-claim/fake-networks.ts";
import type { Config } from "../../src/config/config.ts";
import { loadConfig } from "../../src/config/load-config.ts";

/** Returns the settings of a test server that looks up posts on these networks. */
export function configOf(posts: FakeNetworks): Partial<Config> {
  const config = loadConfig(posts.settings);
  const { xApiUrl, xBearerToken, twitterapiIoUrl, twitterapiIoApiKey, blueskyApiUrl, mastodonInstances } = config;
  return { xApiUrl, xBearerToken, twitterapiIoUrl, twitterapiIoApiKey, blueskyApiUrl, mastodonInstances };
}
