import { expect, test } from "bun:test";
import { stillClock } from "../support/clock.ts";
import { expectError } from "../support/expect-error.ts";
import { newChannel } from "../support/new-channel.ts";
import { startTestServer } from "../support/servers/test-server.ts";

const CHANNEL_PASSWORD = "open sesame, please";

test("the right channel password is checked 20 times a minute, and a member needs no check", async () => {
  await using server = await startTestServer({ rateFactor: 1 }, { clock: stillClock() });
  const [ann, bob] = [await server.user("ann"), await server.user("bob")];
  const { id } = await newChannel(ann, { is_private: true, password: CHANNEL_PASSWORD });
  const join = () => bob.post(`/api/channels/${id}/join`, { password: CHANNEL_PASSWORD });
  for (let n = 0; n < 20; n++) {
    expect((await join()).status).toBe(200);
    // Already a member.
    if (n < 3) expect((await join()).status).toBe(200);
    expect((await bob.post(`/api/channels/${id}/leave`)).status).toBe(200);
  }
  const refused = await join();
  expectError(refused, 429, "rate_limited");
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  // Nobody else is held up.
  const cid = await server.user("cid");
  expect((await cid.post(`/api/channels/${id}/join`, { password: CHANNEL_PASSWORD })).status).toBe(200);
});
