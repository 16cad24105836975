import { expect, test } from "bun:test";
import { loadConfig } from "../config/load-config.ts";
import { configuredNetworks } from "./networks.ts";

const bluesky = { provider: "bluesky", host: "bsky.app" };
const x = { provider: "x", host: "x.com" };

test.each([
  ["Bluesky by default", {}, [bluesky]],
  ["no network if Bluesky is off", { PARLEY_BLUESKY_API_URL: "off" }, []],
  ["X by its own API", { PARLEY_X_BEARER_TOKEN: "AAAA" }, [x, bluesky]],
  ["X by twitterapi.io", { PARLEY_TWITTERAPI_IO_KEY: "new1_", PARLEY_BLUESKY_API_URL: "off" }, [x]],
  [
    "X once if both providers are set",
    { PARLEY_X_BEARER_TOKEN: "AAAA", PARLEY_TWITTERAPI_IO_KEY: "new1_" },
    [x, bluesky],
  ],
  [
    "each Mastodon instance under the host name in its posts' URLs",
    { PARLEY_MASTODON_INSTANCES: "b.example,a.example=https://social.a.example" },
    [bluesky, { provider: "mastodon", host: "b.example" }, { provider: "mastodon", host: "a.example" }],
  ],
])("configures %s", (_, env: Record<string, string>, expected) => {
  expect(configuredNetworks(loadConfig(env))).toEqual(expected as ReturnType<typeof configuredNetworks>);
});
