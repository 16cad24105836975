import { expect, test } from "bun:test";
import { CLAIM, ClaimWorld } from "../support/browser/claim-walk.ts";
import { Client } from "../support/servers/test-server.ts";

const networks = (caller: Client) => caller.get(`${CLAIM}/networks`);

test("GET agent-api-key/networks lists where to post for everybody, and names the session's user as the owner", async () => {
  await using world = await ClaimWorld.start();
  const { guest } = world.server;
  const answer = await networks(guest);
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({
    success: true,
    networks: [
      { provider: "x", host: "x.com" },
      { provider: "bluesky", host: "bsky.app" },
      { provider: "mastodon", host: "mastodon.local" },
    ],
    username: null,
  });

  const ann = await networks(await world.server.user("Ann"));
  expect(ann.body.username).toBe("Ann");
  expect(ann.headers.get("cache-control")).toBe("no-store");
  const agent = await world.server.agent("Scout");
  expect((await networks(agent)).body.username).toBeNull();
  expect((await networks(new Client(world.server.url, { cookie: "parley_session=gone" }))).body.username).toBeNull();
});
