import { expect, test } from "bun:test";
import { datedClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { AWAY_MS, DigestScene, HOUR_MS, SETTINGS } from "../support/digest-scene.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { refusal, TestMailServer } from "../support/mail/mail-server.ts";
import { eventually, startTestServer } from "../support/servers/test-server.ts";

/** Digests as a mail server gets them (protocol §13.5, §17). */
eachDatabase(async (_, open) => {
  const clock = datedClock();
  const mails = await forAllTests(TestMailServer.start());
  const server = await forAllTests(startTestServer(mails.settings(), { database: await open(), clock }));
  const scene = new DigestScene(server, clock);

  const mailTo = ({ username }: { username: string }, count = 1) =>
    eventually(`${count} mails to ${username}`, async () => {
      const found = mails.to(`${username}@example.org`);
      return found.length >= count ? found : null;
    });

  test("a digest has the headers that end it by one POST, and is in a thread with the one before", async () => {
    const { ann, bob, channel } = await scene.people();
    await ann.put(SETTINGS, { mail: { previews: true } });
    await scene.say(bob, channel, `@${ann.username} **tea** <b>at five</b>`);
    await scene.pass();
    const [first] = await mailTo(ann);
    expect(first?.header("subject")).toBe("1 missed message on Parley");
    expect(first?.header("list-unsubscribe-post")).toBe("List-Unsubscribe=One-Click");
    const url = /^<(.*)>$/.exec(first?.header("list-unsubscribe") ?? "")?.[1] ?? "";
    expect(first?.text).toContain(`tea <b>at five</b>`);
    expect(first?.html).toContain("tea &lt;b&gt;at five&lt;/b&gt;");
    for (const form of [first?.text, first?.html]) expect(form).toContain(url);
    await scene.say(bob, channel, `@${ann.username} again`);
    await scene.pass(5 * HOUR_MS);
    const [, second] = await mailTo(ann, 2);
    const thread = first?.header("in-reply-to");
    expect(thread).toMatch(/^<[0-9a-f]{40}@example\.org>$/);
    expect(second?.header("in-reply-to")).toBe(thread ?? "");
    expect(second?.header("message-id")).not.toBe(first?.header("message-id") ?? "");
    // The token does not travel in the header of the thread.
    expect(url).not.toContain(thread?.slice(1, 20) ?? "");
    const { pathname } = new URL(url);
    expect((await fetch(`${server.url}${pathname}`, { method: "POST" })).status).toBe(200);
    await scene.say(bob, channel, `@${ann.username} and again`);
    await scene.pass(5 * HOUR_MS);
    expect(mails.to(`${ann.username}@example.org`)).toHaveLength(2);
  });

  test("names of people and channels add no header and no markup", async () => {
    const ann = await scene.reader();
    const bob = await scene.someone();
    const { channel_id } = (await bob.post("/api/channels", { name: "<img src=x> Bcc: eve@example.org" })).body;
    await ann.post(`/api/channels/${channel_id}/join`);
    await scene.say(bob, channel_id, `@${ann.username}`);
    await scene.pass();
    const [mail] = await mailTo(ann);
    expect(mail?.header("bcc")).toBeNull();
    expect(mail?.html).not.toContain("<img");
  });

  test("a text that was deleted while the mail server was busy is not in the mail", async () => {
    const { ann, bob, channel } = await scene.people();
    await ann.put(SETTINGS, { mail: { previews: true } });
    mails.onRecipient = () => refusal(451, "busy");
    const doomed = await scene.say(bob, channel, `@${ann.username} the secret plan`);
    await scene.say(bob, channel, `@${ann.username} harmless`);
    await scene.pass();
    const waiting = () => server.ctx.db.selectFrom("mails").selectAll().where("ended_at", "is", null).execute();
    await eventually("a try has failed", async () => (await waiting()).some(({ reason }) => reason !== null));
    await bob.delete(`/api/messages/${doomed}`);
    mails.onRecipient = () => null;
    clock.ahead += AWAY_MS;
    const [mail] = await mailTo(ann);
    expect(mail?.text).toContain("harmless");
    expect(mail?.raw).not.toContain("secret");
  });

  test("a digest is in the language of its reader", async () => {
    const { ann, bob, channel } = await scene.people();
    const byName = server.ctx.db.updateTable("users").where("username", "=", ann.username);
    await byName.set({ language: "zh" }).execute();
    await scene.say(bob, channel, `@${ann.username}`);
    await scene.pass();
    const [mail] = await mailTo(ann);
    expect(mail?.header("content-language")).toBe("zh-Hans");
    expect(mail?.text).toContain(`${bob.username} 的 1 条消息`);
  });
});
