import { expect, test } from "bun:test";
import { datedClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { AWAY_MS, DigestScene, HOUR_MS, MAILING, MINUTE_MS, SETTINGS } from "../support/digest-scene.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import { eventually, startTestServer } from "../support/servers/test-server.ts";

/** Mails about what users missed (protocol §13.5), up to the outbox. */
eachDatabase(async (_, open) => {
  const clock = datedClock();
  const server = await forAllTests(startTestServer(MAILING, { database: await open(), clock }));
  const scene = new DigestScene(server, clock);

  test("one digest lists what was written to a user who is away, with links to the first message of each place", async () => {
    const { ann, bob, channel } = await scene.people();
    const first = await scene.say(bob, channel, `@${ann.username} secret one`);
    await scene.say(bob, channel, `@${ann.username} secret two`);
    await bob.post("/api/direct", { username: ann.username });
    const { channel_id: direct, channel_slug } = (await bob.post("/api/direct", { username: ann.username })).body;
    const hello = await scene.say(bob, direct, "secret three");
    await scene.pass(29 * MINUTE_MS);
    expect(await scene.mails(ann)).toEqual([]);
    await scene.pass(2 * MINUTE_MS);
    expect(await scene.mails(ann)).toHaveLength(1);
    const letter = await scene.letter(ann);
    expect(letter).toMatchObject({
      to: `${ann.username}@example.org`,
      language: "en",
      subject: "3 missed messages on Parley",
      unsubscribe: { url: expect.stringMatching(/^https:\/\/chat\.example\.org\/mail\/unsubscribe\/[\w-]{43}$/) },
    });
    const words = JSON.stringify(letter);
    expect(words).toContain(`2 messages from ${bob.username}`);
    expect(words).toContain(`1 message from ${bob.username}`);
    expect(words).toContain(`/${first}"`);
    expect(words).toContain(`https://chat.example.org/#/c/${channel_slug}/${hello}`);
    expect(words).not.toContain("secret");
  });

  test("a message that mentions nobody makes no digest, and neither does a reaction", async () => {
    const { ann, bob, channel } = await scene.people();
    await scene.say(bob, channel, "hello all");
    const mine = await scene.say(ann, channel, "hello");
    await bob.post(`/api/messages/${mine}/reactions`, { reaction: "👍" });
    await scene.pass();
    expect(await scene.row(await scene.idOf(ann))).toBeUndefined();
  });

  test("a user without a confirmed address gets none, and none is planned", async () => {
    const [ann, bob] = [await scene.someone(), await scene.someone()];
    const channel = await scene.newChannel(bob, ann);
    await scene.say(bob, channel, `@${ann.username}`);
    expect(await scene.row(await scene.idOf(ann))).toBeUndefined();
  });

  test("what was read before the digest is due makes none", async () => {
    const { ann, bob, channel } = await scene.people();
    await scene.say(bob, channel, `@${ann.username}`);
    await ann.post(`/api/channels/${channel}/read`);
    await eventually("it is read", async () => (await ann.get("/api/notifications")).body.unread === 0);
    await scene.pass();
    expect(await scene.mails(ann)).toEqual([]);
    expect(await scene.row(await scene.idOf(ann))).toMatchObject({ pending: 0, sent_at: null });
  });

  test("a user who has a page in front of them waits until they have been away for half an hour", async () => {
    const { ann, bob, channel } = await scene.people();
    await using socket = await LiveSocket.open(server.url, ann.credential);
    await socket.ask("page:visible", { visible: true });
    await scene.say(bob, channel, `@${ann.username}`);
    await scene.pass();
    await scene.pass();
    expect(await scene.mails(ann)).toEqual([]);
    await socket.ask("page:visible", { visible: false });
    await scene.pass();
    expect(await scene.mails(ann)).toHaveLength(1);
  });

  test("a user who used a session half an hour ago is not away", async () => {
    const { ann, bob, channel } = await scene.people();
    await scene.say(bob, channel, `@${ann.username}`);
    await scene.pass(20 * MINUTE_MS);
    await ann.get("/api/notifications");
    const seen = clock.now();
    await eventually("the use is noted", async () => {
      const query = server.ctx.db.selectFrom("sessions").select("last_seen_at");
      const rows = await query.where("user_id", "=", await scene.idOf(ann)).execute();
      return rows.some(({ last_seen_at }) => last_seen_at > seen - MINUTE_MS);
    });
    await scene.pass(15 * MINUTE_MS);
    expect(await scene.mails(ann)).toEqual([]);
    await scene.pass(16 * MINUTE_MS);
    expect(await scene.mails(ann)).toHaveLength(1);
  });

  test("the next digest comes four hours after the last one, and lists only what is new", async () => {
    const { ann, bob, channel } = await scene.people();
    await scene.say(bob, channel, `@${ann.username} one`);
    await scene.pass();
    const next = await scene.say(bob, channel, `@${ann.username} two`);
    await scene.pass(3 * HOUR_MS);
    expect(await scene.mails(ann)).toHaveLength(1);
    await scene.pass(HOUR_MS);
    expect(await scene.mails(ann)).toHaveLength(2);
    expect(await scene.letter(ann)).toMatchObject({ subject: "1 missed message on Parley" });
    expect(await scene.words(ann)).toContain(`/${next}"`);
    await scene.pass(9 * HOUR_MS);
    expect(await scene.mails(ann)).toHaveLength(2);
  });

  test("quiet hours hold a digest back until they end, in the user's time zone", async () => {
    const { ann, bob, channel } = await scene.people();
    const hour = (ahead: number) => `${String((new Date(clock.now()).getUTCHours() + ahead) % 24).padStart(2, "0")}:00`;
    await ann.put(SETTINGS, { push: { quiet_from: hour(0), quiet_to: hour(3), zone: "UTC" } });
    await scene.say(bob, channel, `@${ann.username}`);
    await scene.pass();
    expect(await scene.mails(ann)).toEqual([]);
    const end = new Date(clock.now() - AWAY_MS).setUTCMinutes(0, 0, 0) + 3 * HOUR_MS;
    expect((await scene.row(await scene.idOf(ann)))?.due_at).toBe(end);
    await scene.pass(end - clock.now());
    expect(await scene.mails(ann)).toHaveLength(1);
  });

  test("a pause of notifications holds a digest back", async () => {
    const { ann, bob, channel } = await scene.people();
    await ann.put(SETTINGS, { muted_until: new Date(clock.now() + 5 * HOUR_MS).toISOString() });
    await scene.say(bob, channel, `@${ann.username}`);
    await scene.pass(4 * HOUR_MS);
    expect(await scene.mails(ann)).toEqual([]);
    await scene.pass(HOUR_MS);
    expect(await scene.mails(ann)).toHaveLength(1);
  });

  test("daily digests come at eight in the morning of the user's time zone, once", async () => {
    const { ann, bob, channel } = await scene.people();
    await ann.put(SETTINGS, { mail: { digest: "daily" }, push: { zone: "Asia/Kathmandu" } });
    await scene.say(bob, channel, `@${ann.username}`);
    const due = (await scene.row(await scene.idOf(ann)))?.due_at ?? 0;
    expect(new Date(due).toISOString()).toEndWith("T02:15:00.000Z");
    await scene.pass(due - clock.now() - MINUTE_MS);
    expect(await scene.mails(ann)).toEqual([]);
    await scene.pass(MINUTE_MS + 1);
    await scene.pass(12 * HOUR_MS);
    expect(await scene.mails(ann)).toHaveLength(1);
  });

  test("a user who has chosen daily while a digest was due gets it in the morning", async () => {
    const { ann, bob, channel } = await scene.people();
    await scene.say(bob, channel, `@${ann.username}`);
    await ann.put(SETTINGS, { mail: { digest: "daily" } });
    await scene.pass();
    const due = (await scene.row(await scene.idOf(ann)))?.due_at ?? 0;
    expect(new Date(due).toISOString()).toEndWith("T08:00:00.000Z");
  });

  test.each([
    ["the user chose none", { mail: { digest: "off" } }],
    ["the channels of the user notify of nothing", { default: "none" }],
  ])("no digest is sent if, while it is due, %s", async (_, change) => {
    const { ann, bob, channel } = await scene.people();
    await scene.say(bob, channel, `@${ann.username}`);
    expect((await ann.put(SETTINGS, change)).status).toBe(200);
    await scene.pass();
    expect(await scene.mails(ann)).toEqual([]);
    expect(await scene.row(await scene.idOf(ann))).toMatchObject({ pending: 0 });
  });

  test("a digest that waits for a mail server when quiet hours begin is planned again, with all that was missed", async () => {
    const { ann, bob, channel } = await scene.people();
    await scene.say(bob, channel, `@${ann.username} one`);
    await scene.pass();
    await scene.say(bob, channel, `@${ann.username} two`);
    await ann.put(SETTINGS, { muted_until: new Date(clock.now() + HOUR_MS).toISOString() });
    expect(await scene.letter(ann)).toEqual({ dropped: "quiet hours" });
    await scene.pass(2 * HOUR_MS);
    expect(await scene.mails(ann)).toHaveLength(2);
    expect(await scene.letter(ann)).toMatchObject({ subject: "2 missed messages on Parley" });
  });

  test("a server without missed messages writes nothing", async () => {
    const before = await server.ctx.db.selectFrom("digests").selectAll().where("pending", "=", 1).execute();
    for (const { user_id } of before)
      await server.ctx.db.updateTable("digests").set({ pending: 0 }).where("user_id", "=", user_id).execute();
    const rows = () => server.ctx.db.selectFrom("digests").selectAll().orderBy("user_id").execute();
    const idle = await rows();
    await scene.pass(24 * HOUR_MS);
    expect(await rows()).toEqual(idle);
  });
});
