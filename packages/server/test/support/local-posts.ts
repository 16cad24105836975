import type { FakeNetworks } from "../../../../examples/key-claim/fake-networks.ts";
import type { Config } from "../../src/config/config.ts";
import { loadConfig } from "../../src/config/load-config.ts";

/** Settings that let a test server look up posts there. */
export function configOf(posts: FakeNetworks): Partial<Config> {
  const config = loadConfig(posts.settings);
  const { xApiUrl, xBearerToken, twitterapiIoUrl, twitterapiIoApiKey, blueskyApiUrl, mastodonInstances } = config;
  return { xApiUrl, xBearerToken, twitterapiIoUrl, twitterapiIoApiKey, blueskyApiUrl, mastodonInstances };
}
