import { expect, test } from "bun:test";
import { stillClock } from "../support/clock.ts";
import { expectError } from "../support/expect-error.ts";
import { startTestServer } from "../support/servers/test-server.ts";
import { setLevel } from "../support/staff.ts";

test("banned users who cannot read as guests cannot remove reactions or report, and administrators cannot react in others' conversations", async () => {
  await using server = await startTestServer({ guestRead: false });
  const [ann, bob, ruth] = [await server.user("ann"), await server.user("bob"), await server.user("ruth")];
  const made = await ann.post("/api/channels", { name: "Tea" });
  const say = async (channel_id: number): Promise<string> =>
    `/api/messages/${(await ann.post("/api/messages", { channel_id, content: "hello" })).body.message_id}`;
  const said = await say(made.body.channel_id);
  expect((await bob.put(`${said}/reactions/like`)).status).toBe(200);
  expect((await ann.post(`/api/channels/${made.body.channel_id}/bans`, { username: "bob" })).status).toBe(201);
  expectError(await bob.put(`${said}/reactions/wow`), 403, "banned");
  expectError(await bob.delete(`${said}/reactions/like`), 403, "banned");
  expectError(await bob.post(`${said}/report`, { reason: "rude" }), 403, "banned");
  await setLevel(server, "ruth", 2);
  const talk = await ann.post("/api/direct", { username: "bob" });
  const whispered = await say(talk.body.channel.id);
  expect((await bob.put(`${whispered}/reactions/like`)).status).toBe(200);
  expectError(await ruth.put(`${whispered}/reactions/like`), 403, "post_policy");
});

test("reactions have their own rate limit in production", async () => {
  await using server = await startTestServer({ rateLimits: "on", rateFactor: 1 }, { clock: stillClock() });
  const ann = await server.user("ann");
  const { body } = await ann.post("/api/messages", { channel_slug: "general", content: "hello" });
  const url = `/api/messages/${body.message_id}/reactions/like`;
  for (let n = 0; n < 60; n++) expect((await (n % 2 === 0 ? ann.put(url) : ann.delete(url))).status).toBe(200);
  const refused = await ann.put(url);
  expectError(refused, 429, "rate_limited");
  expect(refused.headers.get("ratelimit-policy")).toBe('"reaction";q=60;w=60');
  expect((await ann.post("/api/messages", { channel_slug: "general", content: "sends go on" })).status).toBe(201);
});
