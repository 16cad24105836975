import { expect, test } from "bun:test";
import { datedClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { DigestScene, MAILING, SETTINGS } from "../support/digest-scene.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { startTestServer } from "../support/servers/test-server.ts";

/** Users see the state of their address, and choose their mails (protocol §13.5). */
eachDatabase(async (_, open) => {
  const clock = datedClock();
  const server = await forAllTests(startTestServer(MAILING, { database: await open(), clock }));
  const scene = new DigestScene(server, clock);

  test("the state of the address follows it: none, not confirmed, confirmed", async () => {
    const ann = await scene.someone();
    expect((await ann.get("/api/mail")).body).toMatchObject({ address: null, state: "none" });
    await ann.put(`/api/user/${ann.username}`, { email: "ann@example.org" });
    expect((await ann.get("/api/mail")).body).toMatchObject({ address: "ann@example.org", state: "unconfirmed" });
    const bob = await scene.reader();
    expect((await bob.get("/api/mail")).body).toMatchObject({ state: "confirmed" });
  });

  test("each setting changes alone, and a wrong one changes nothing", async () => {
    const ann = await scene.someone();
    expect((await ann.get(SETTINGS)).body.mail).toEqual({ digest: "away", previews: false });
    expect((await ann.put(SETTINGS, { mail: { previews: true } })).body.mail).toEqual({
      digest: "away",
      previews: true,
    });
    expect((await ann.put(SETTINGS, { mail: { digest: "daily" } })).body.mail).toEqual({
      digest: "daily",
      previews: true,
    });
    expectError(await ann.put(SETTINGS, { mail: { digest: "hourly" } }), 400, "invalid_request");
    expect((await ann.get(SETTINGS)).body).toMatchObject({ push: { previews: false }, mail: { digest: "daily" } });
  });

  test("guests have no address", async () => {
    expectError(await server.guest.get("/api/mail"), 401, "session_required");
  });
});

test("a server that sends no mail says so, and plans no digests", async () => {
  await using server = await startTestServer({});
  const scene = new DigestScene(server, server.ctx.clock as never);
  const { ann, bob, channel } = await scene.people();
  expectError(await ann.get("/api/mail"), 409, "mail_off");
  await scene.say(bob, channel, `@${ann.username}`);
  expect(await scene.row(await scene.idOf(ann))).toBeUndefined();
});
