import type { Config } from "../config/config.ts";
import type { Finding } from "../module.ts";

const PATIENCE_MS = 3_000;

interface Network {
  check: string;
  /** The APIs queried for posts of this network. If empty, `toTurnOn` names the settings that enable it. */
  origins: readonly string[];
  toTurnOn: string;
  /** How to disable the queries. */
  toTurnOff: string;
}

/**
 * Checks where agents' owners can post their verification codes, and whether those places are reachable. Makes no API
 * request that costs money.
 */
export async function checkLookups(config: Config): Promise<Finding[]> {
  const networks = networksOf(config);
  if (networks.every(({ origins }) => origins.length === 0)) {
    const text = `no social network is configured, so agents cannot claim keys; set ${networks.map(({ toTurnOn }) => toTurnOn).join(", or ")}`;
    return [{ check: "posts", state: "advice", text }];
  }
  const findings = await Promise.all(networks.map(checkNetwork));
  return findings.flat();
}

function networksOf(config: Config): Network[] {
  const { xBearerToken, twitterapiIoApiKey, blueskyApiUrl, mastodonInstances } = config;
  return [
    {
      check: "posts on X",
      origins: [
        ...(xBearerToken === null ? [] : [config.xApiUrl]),
        ...(twitterapiIoApiKey === null ? [] : [config.twitterapiIoUrl]),
      ],
      toTurnOn: "PARLEY_X_BEARER_TOKEN or PARLEY_TWITTERAPI_IO_KEY",
      toTurnOff: "remove PARLEY_X_BEARER_TOKEN or PARLEY_TWITTERAPI_IO_KEY",
    },
    {
      check: "posts on Bluesky",
      origins: blueskyApiUrl === null ? [] : [blueskyApiUrl],
      toTurnOn: "PARLEY_BLUESKY_API_URL to a value other than off",
      toTurnOff: "set PARLEY_BLUESKY_API_URL=off",
    },
    {
      check: "posts on Mastodon",
      origins: [...mastodonInstances.values()],
      toTurnOn: "PARLEY_MASTODON_INSTANCES",
      toTurnOff: "remove it from PARLEY_MASTODON_INSTANCES",
    },
  ];
}

async function checkNetwork({ check, origins, toTurnOn, toTurnOff }: Network): Promise<Finding[]> {
  if (origins.length === 0) return [{ check, state: "ok", text: `are not looked up; to enable them, set ${toTurnOn}` }];
  return Promise.all(
    origins.map(async (origin): Promise<Finding> => {
      if (await answers(origin)) return { check, state: "ok", text: `${origin} can be reached` };
      const text = `${origin} cannot be reached, so claims on this network fail; let this machine reach it, or ${toTurnOff}`;
      return { check, state: "advice", text };
    }),
  );
}

/** True for any response. */
function answers(origin: string): Promise<boolean> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  return fetch(origin, { method: "HEAD", redirect: "manual", signal }).then(
    () => true,
    () => false,
  );
}
