import { expect, test } from "bun:test";
import { FakeNetworks } from "../../../../examples/key-claim/fake-networks.ts";
import { type Environment, loadConfig } from "../config/load-config.ts";
import { checkLookups } from "./doctor.ts";

const AWAY = "http://127.0.0.1:1";

async function findings(env: Environment): Promise<string[]> {
  const found = await checkLookups(loadConfig(env));
  return found.map(({ check, state, text }) => `${state}: ${check}: ${text}`);
}

test("the doctor reports networks that can be reached, cannot be reached, or are not used", async () => {
  using posts = new FakeNetworks();
  const env = { ...posts.settings, PARLEY_MASTODON_INSTANCES: `a.example=${posts.url},b.example=${AWAY}` };
  expect(await findings({ ...env, PARLEY_TWITTERAPI_IO_URL: AWAY, PARLEY_BLUESKY_API_URL: "off" })).toEqual([
    `ok: posts on X: ${posts.url} can be reached`,
    `advice: posts on X: ${AWAY} cannot be reached, so claims on this network fail; let this machine reach it, or remove PARLEY_X_BEARER_TOKEN or PARLEY_TWITTERAPI_IO_KEY`,
    "ok: posts on Bluesky: are not looked up; to enable them, set PARLEY_BLUESKY_API_URL to a value other than off",
    `ok: posts on Mastodon: ${posts.url} can be reached`,
    `advice: posts on Mastodon: ${AWAY} cannot be reached, so claims on this network fail; let this machine reach it, or remove it from PARLEY_MASTODON_INSTANCES`,
  ]);
});

test("the doctor reports that Bluesky is used without a setting unless a setting turns it off", async () => {
  const found = await findings({ PARLEY_BLUESKY_API_URL: AWAY });
  expect(found).toContain(
    `advice: posts on Bluesky: ${AWAY} cannot be reached, so claims on this network fail; let this machine reach it, or set PARLEY_BLUESKY_API_URL=off`,
  );
});

test("the doctor reports that agents cannot claim keys without any network", async () => {
  const [finding = "", ...others] = await findings({ PARLEY_BLUESKY_API_URL: "off" });
  expect(finding).toStartWith(
    "advice: posts: no social network is configured, so agents cannot claim keys; set PARLEY_X_B",
  );
  expect(others).toEqual([]);
});
