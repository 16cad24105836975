import { expect, test } from "bun:test";
import { stillClock } from "../../test/support/clock.ts";
import { createLog } from "../logging/log.ts";
import { LookupClient } from "./lookup-client.ts";
import { mastodonLookup } from "./mastodon.ts";
import { postLookupConformance } from "./post-lookup.conformance.ts";
import answers from "./test-data/mastodon.json";

const instance = "mastodon.example";
const id = "113510000000000001";

postLookupConformance("Mastodon", {
  make: (client, url) => mastodonLookup(client, { instances: new Map([[instance, url]]) }),
  ref: { provider: "mastodon", instance, id },
  answers,
  expected: {
    provider: "mastodon",
    accountId: `109302436954721982@${instance}`,
    handle: `ana@${instance}`,
    text: "My code is\nK7QM-2RTX & https://parley.example/a-long-path",
    createdAt: Date.UTC(2026, 10, 20, 10),
    kind: "original",
    url: `https://${instance}/@ana/${id}`,
  },
  target: `/api/v1/statuses/${id}`,
});

test("an instance that is not allowed is not asked", async () => {
  const client = new LookupClient({ clock: stillClock(), log: createLog({ level: "silent", readable: false }) });
  const lookup = mastodonLookup(client, { instances: new Map() });
  await expect(lookup.lookup({ provider: "mastodon", instance, id })).rejects.toMatchObject({
    code: "social_lookup_not_configured",
  });
});
