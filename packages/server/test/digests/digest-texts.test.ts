import { expect, test } from "bun:test";
import { transact } from "../../src/db/transact.ts";
import { publishControl } from "../../src/realtime/control/control.ts";
import { datedClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { DigestScene, MAILING, SETTINGS } from "../support/digest-scene.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { startTestServer } from "../support/servers/test-server.ts";

const SECRET = "the secret plan";

/** A digest never has these texts (protocol §13.5). All of it is decided again when the mail is sent. */
eachDatabase(async (_, open) => {
  const clock = datedClock();
  const server = await forAllTests(startTestServer(MAILING, { database: await open(), clock }));
  const scene = new DigestScene(server, clock);
  const { db } = server.ctx;

  /** A user who wants texts, and has a digest in the outbox. */
  async function listed(more: object = {}) {
    const people = await scene.people();
    await people.ann.put(SETTINGS, { mail: { previews: true } });
    const message = await scene.say(people.bob, people.channel, `@${people.ann.username} ${SECRET}`, more);
    await scene.pass();
    expect(await scene.mails(people.ann)).toHaveLength(1);
    return { ...people, message };
  }

  test("a digest has texts if its reader chose so", async () => {
    const { ann, bob, channel, message } = await listed();
    const letter = await scene.letter(ann);
    expect(letter).toMatchObject({
      parts: expect.arrayContaining([
        expect.objectContaining({ kind: "quote", by: bob.username, text: `@${ann.username} ${SECRET}` }),
      ]),
    });
    const { body } = await ann.get(`/api/channels/${channel}`);
    expect(await scene.words(ann)).toContain(`/#/c/${body.channel.channel_slug}/${message}`);
  });

  test("a digest has no texts unless its reader chose so, also not if they chose texts for pushes", async () => {
    const { ann } = await listed();
    await ann.put(SETTINGS, { mail: { previews: false }, push: { previews: true } });
    expect(await scene.letter(ann)).toMatchObject({ subject: "1 missed message on Parley" });
    expect(await scene.words(ann)).not.toContain(SECRET);
  });

  test("a digest has no text of a channel that deletes messages", async () => {
    const { ann, bob, channel } = await listed();
    expect((await bob.put(`/api/channels/${channel}`, { retention_days: 30 })).status).toBe(200);
    expect(await scene.letter(ann)).toMatchObject({ subject: "1 missed message on Parley" });
    expect(await scene.words(ann)).not.toContain(SECRET);
  });

  test("a digest has no text of a channel with a price", async () => {
    const { ann, channel } = await listed();
    await transact(server.ctx, async (ctx) => {
      const price = JSON.stringify({ amount: "1", currency: "USDC", chain_id: 1 });
      await ctx.db.updateTable("channels").set({ price }).where("id", "=", channel).execute();
      publishControl(ctx, "channel_changed", channel);
    });
    expect(await scene.letter(ann)).toMatchObject({ subject: "1 missed message on Parley" });
    expect(await scene.words(ann)).not.toContain(SECRET);
  });

  test("a digest has no text of a message that expires", async () => {
    const { ann } = await listed({ expires_in: 24 * 3_600 });
    expect(await scene.letter(ann)).toMatchObject({ subject: "1 missed message on Parley" });
    expect(await scene.words(ann)).not.toContain(SECRET);
  });

  test("a message that was deleted since is not in the digest", async () => {
    const { ann, bob, message } = await listed();
    await bob.delete(`/api/messages/${message}`);
    expect(await scene.letter(ann)).toEqual({ dropped: "read" });
  });

  test("a message that was edited since is in the digest as it is now", async () => {
    const { ann, bob, message } = await listed();
    await bob.put(`/api/messages/${message}`, { content: `@${ann.username} harmless` });
    const words = await scene.words(ann);
    expect(words).toContain("harmless");
    expect(words).not.toContain(SECRET);
  });

  test("a message that its reader may read no more is not in the digest", async () => {
    const { ann, bob, channel } = await listed();
    await bob.put(`/api/channels/${channel}`, { is_private: true, password: "long enough 123" });
    expect((await bob.delete(`/api/channels/${channel}/members/${ann.username}`)).status).toBe(200);
    expect(await scene.letter(ann)).toEqual({ dropped: "read" });
  });

  test("a message in a public channel from which its reader was banned is not in the digest", async () => {
    const { ann, bob, channel } = await listed();
    expect((await bob.post(`/api/channels/${channel}/bans`, { username: ann.username })).status).toBe(201);
    expect(await scene.letter(ann)).toEqual({ dropped: "read" });
  });

  test("a message of somebody whom its reader has blocked since is not in the digest", async () => {
    const { ann, bob } = await listed();
    await ann.put(`/api/blocks/${bob.username}`);
    expect(await scene.letter(ann)).toEqual({ dropped: "read" });
  });

  test("a message in a channel that its reader has muted since is not in the digest", async () => {
    const { ann, channel } = await listed();
    await ann.put(SETTINGS, { channels: { [channel]: { muted: true } } });
    expect(await scene.letter(ann)).toEqual({ dropped: "read" });
  });

  test.each([
    ["changed the address", { email: "other@example.org" }],
    ["was suspended", { suspended_until: Date.UTC(2100, 0) }],
  ])("nothing is sent to a user who %s since", async (_, change) => {
    const { ann } = await listed();
    await db.updateTable("users").set(change).where("username", "=", ann.username).execute();
    expect(await scene.letter(ann)).toEqual({ dropped: "not wanted" });
  });

  test("nothing is sent to a user who has ended the digests since", async () => {
    const { ann } = await listed();
    await ann.put(SETTINGS, { mail: { digest: "off" } });
    expect(await scene.letter(ann)).toEqual({ dropped: "not wanted" });
  });

  test("the outbox has no text of messages, and the subject no names", async () => {
    const { ann, bob } = await listed();
    const rows = await db
      .selectFrom("mails")
      .selectAll()
      .where("user_id", "=", await scene.idOf(ann))
      .execute();
    expect(JSON.stringify(rows)).not.toContain("secret");
    const letter = await scene.letter(ann);
    expect("subject" in letter ? letter.subject : "").not.toContain(bob.username);
  });

  test("a digest of very many messages has some texts of each place, and says how many more there are", async () => {
    const { ann, bob } = await scene.people();
    await ann.put(SETTINGS, { mail: { previews: true } });
    for (let room = 0; room < 12; room += 1) {
      const channel = await scene.newChannel(bob, ann);
      for (let n = 0; n < 4; n += 1) await scene.say(bob, channel, `@${ann.username} text`);
    }
    await scene.pass();
    const letter = await scene.letter(ann);
    if (!("parts" in letter)) throw new Error("There is no digest.");
    expect(letter.subject).toStartWith("48 missed");
    expect(letter.parts.filter(({ kind }) => kind === "heading")).toHaveLength(10);
    expect(letter.parts.filter(({ kind }) => kind === "quote")).toHaveLength(30);
    expect(letter.parts.at(-1)).toEqual({ kind: "text", text: "8 more messages wait in other places." });
  });
});
