import { expect, test } from "bun:test";
import { purgePass } from "../../src/channels/deleted/purge.ts";
import { purgeSome } from "../../src/messages/removal.ts";
import { forgetReminders, remindDue } from "../../src/reminders/remind-due.ts";
import { datedClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { EGRESS, PushScene } from "../support/push-scene.ts";
import { sayId } from "../support/say.ts";
import { type Client, eventually, startTestServer } from "../support/servers/test-server.ts";

const PATH = "/api/reminders";
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Reminders that are due (protocol §13.16), over real HTTP. */
eachDatabase(async (_, open) => {
  const clock = datedClock();
  const database = await open();
  const server = await forAllTests(startTestServer({ ...EGRESS, rateLimits: "off" }, { database, clock }));
  const scene = new PushScene(server, clock);
  const later = (ms = 20_000) => new Date(clock.now() + ms).toISOString();
  const remind = async (user: Client, body: object) => {
    const answer = await user.post(PATH, { remind_at: later(), ...body });
    expect([answer.status, answer.body.code]).toEqual([201, undefined]);
    return answer.body.reminder;
  };
  /** Returns a user's reminder when it has ended. */
  const ended = (user: Client, id: number) =>
    eventually("the reminder has ended", async () => {
      const { reminders } = (await user.get(PATH)).body;
      const found = reminders.find(({ reminder_id }: { reminder_id: number }) => reminder_id === id);
      return found.status === "waiting" ? undefined : found;
    });
  const listOf = async (user: Client) => (await user.get("/api/notifications")).body.notifications;
  const reminding = async (user: Client) =>
    (await listOf(user)).filter(({ kind }: { kind: string }) => kind === "reminder");
  const endings = async (user: Client) =>
    (await listOf(user)).filter(({ notice }: { notice?: { code: string } }) => notice?.code === "reminder_ended");

  test("a reminder of what its user may not read any more ends without the message, and they learn that it ended", async () => {
    const [ann, ben] = [await server.newUser(), await server.newUser()];
    const { id } = await newChannel(ann, { is_private: true });
    await ann.put(`/api/channels/${id}/members/${ben.username}`, {});
    const open = await newChannel(ann);
    const removed = await newChannel(ann);
    const secret = await sayId(ann, id, "the plan");
    const deleted = await sayId(ann, open.id, "deleted soon");
    const lost = await sayId(ann, removed.id, "in a channel that goes");
    const passing = (await ann.post("/api/messages", { channel_id: open.id, content: "short", expires_in: 60 })).body
      .message_id;
    const made = [
      await remind(ben, { message_id: secret, note: "the plan's note" }),
      await remind(ben, { message_id: deleted, note: "one" }),
      await remind(ben, { message_id: lost, note: "two" }),
      await remind(ben, { message_id: passing, note: "three", remind_at: later(90_000) }),
    ];
    expect((await ann.delete(`/api/channels/${id}/members/${ben.username}`)).status).toBe(200);
    await ann.delete(`/api/messages/${deleted}`);
    expect((await ann.delete(`/api/channels/${removed.id}`)).status).toBe(200);
    // Already the list says nothing of them.
    const waiting = (await ben.get(PATH)).body.reminders;
    const unseen = waiting.filter(({ text }: { text: string | null }) => text === null);
    expect(unseen.map((each: { message_id: number }) => each.message_id)).toEqual([secret, deleted, lost]);
    clock.ahead += 91_000;
    for (const { reminder_id } of made) {
      const shown = await ended(ben, reminder_id);
      expect(shown).toMatchObject({ status: "ended", text: null, from: null, channel_slug: null });
    }
    expect(await reminding(ben)).toEqual([]);
    const notices = await endings(ben);
    expect(notices.map(({ notice }: { notice: object }) => notice)).toEqual(
      ["three", "two", "one", "the plan's note"].map((detail) => ({ code: "reminder_ended", subject: null, detail })),
    );
    expect(JSON.stringify(await listOf(ben))).not.toContain("deleted soon");
    expect(notices.every((each: { message_id: null; channel_id: null }) => each.message_id ?? each.channel_id)).toBe(
      false,
    );
  });

  test("a notification of a reminder disappears with its message, and while its user may not read it", async () => {
    const [ann, ben] = [await server.newUser(), await server.newUser()];
    const { id } = await newChannel(ann, { is_private: true });
    const add = () => ann.put(`/api/channels/${id}/members/${ben.username}`, {});
    await add();
    const message_id = await sayId(ann, id, "hello");
    const { reminder_id } = await remind(ben, { message_id });
    clock.ahead += 21_000;
    await ended(ben, reminder_id);
    const before = (await ben.get("/api/notifications")).body.unread;
    expect(await reminding(ben)).toHaveLength(1);
    await ann.delete(`/api/channels/${id}/members/${ben.username}`);
    expect(await reminding(ben)).toEqual([]);
    await add();
    expect(await reminding(ben)).toHaveLength(1);
    await ann.delete(`/api/messages/${message_id}`);
    expect(await reminding(ben)).toEqual([]);
    await eventually("the row is gone", async () => {
      const rows = server.ctx.db.selectFrom("notifications").select("id").where("reminded_id", "=", message_id);
      return (await rows.execute()).length === 0;
    });
    expect((await ben.get("/api/notifications")).body.unread).toBeLessThan(before + 1);
  });

  test("muting the channel and reading everything do not silence a reminder, which is for one message", async () => {
    const [ann, ben] = [await server.newUser(), await server.newUser()];
    const { id } = await newChannel(ann);
    await ben.post(`/api/channels/${id}/join`);
    await ben.put("/api/notifications/settings", { channels: { [id]: { level: "none", muted: true } } });
    const message_id = await sayId(ann, id, "hello");
    const { reminder_id } = await remind(ben, { message_id });
    clock.ahead += 21_000;
    await ended(ben, reminder_id);
    expect((await reminding(ben)).map(({ read_at }: { read_at: null }) => read_at)).toEqual([null]);
  });

  test("a reminder is made however late, after a standstill of months", async () => {
    const ann = await server.newUser();
    const { id } = await newChannel(ann);
    const { reminder_id } = await remind(ann, { message_id: await sayId(ann, id, "old") });
    clock.ahead += 20 * DAY_MS;
    // The session is too old by now, but the reminder is not.
    await eventually("it is done", async () => {
      const row = server.ctx.db.selectFrom("reminders").select("status").where("id", "=", reminder_id);
      return (await row.executeTakeFirst())?.status === "done";
    });
  });

  test("a push shows the words of message and note only to those who want previews, and quiet hours hold it", async () => {
    scene.newService();
    const [ann, ben] = [await server.newUser(), await server.newUser()];
    const { id, slug } = await newChannel(ann);
    const message_id = await sayId(ann, id, "the words");
    await ben.post(`/api/channels/${id}/join`);
    await scene.subscribe(ben);
    const due = async () => {
      const { reminder_id } = await remind(ben, { message_id, note: "mine" });
      clock.ahead += 21_000;
      await ended(ben, reminder_id);
      await scene.pass(75_000);
      return reminder_id;
    };
    const first = await due();
    const plain = scene.service.pushed.at(-1)?.payload;
    expect(plain).toMatchObject({ kind: "reminder", message_id, channel_id: id, text: null });
    expect(plain).toMatchObject({ reminder: { reminder_id: first, note: null }, url: `/#/c/${slug}/${message_id}` });
    await ben.put("/api/notifications/settings", { push: { previews: true } });
    const second = await due();
    expect(scene.service.pushed).toHaveLength(2);
    expect(scene.service.pushed.at(-1)?.payload).toMatchObject({
      text: "the words",
      reminder: { reminder_id: second, note: "mine" },
    });
    await ben.put("/api/notifications/settings", { muted_until: later(10 * HOUR_MS) });
    await due();
    expect(scene.service.pushed).toHaveLength(2);
    expect(await reminding(ben)).toHaveLength(3);
    scene.service[Symbol.dispose]();
  });

  test("each reminder that ends has a notice of its own, and its push has the note only for those who want previews", async () => {
    scene.newService();
    const [ann, ben] = [await server.newUser(), await server.newUser()];
    const { id } = await newChannel(ann);
    await ben.post(`/api/channels/${id}/join`);
    await scene.subscribe(ben);
    /** Lets reminders with these notes end; returns the notice that was pushed. */
    const end = async (notes: (string | null)[]) => {
      const message_id = await sayId(ann, id, "deleted soon");
      for (const note of notes) await remind(ben, { message_id, note });
      await ann.delete(`/api/messages/${message_id}`);
      clock.ahead += 21_000;
      const waiting = async () => (await ben.get(`${PATH}?status=waiting`)).body.reminders;
      await eventually("all have ended", async () => (await waiting()).length === 0);
      await scene.pass(75_000);
      return scene.service.pushed.at(-1)?.payload.notice;
    };
    const notice = (detail: string | null) => ({ code: "reminder_ended" as const, subject: null, detail });
    expect(await end([null, null, "same", "same"])).toEqual(notice(null));
    expect((await endings(ben)).map(({ notice }: { notice: object }) => notice)).toEqual(
      ["same", "same", null, null].map(notice),
    );
    await ben.put("/api/notifications/settings", { push: { previews: true } });
    expect(await end(["mine"])).toEqual(notice("mine"));
    scene.service[Symbol.dispose]();
  });

  test("a thousand reminders that are due at once are made once each", async () => {
    const people = await Promise.all(Array.from({ length: 12 }, () => server.newUser()));
    const [ann] = people;
    if (ann === undefined) throw new Error("There is nobody.");
    const { id } = await newChannel(ann);
    const message_id = await sayId(ann, id, "everybody");
    const users = await server.ctx.db
      .selectFrom("users")
      .select("id")
      .where(
        "username",
        "in",
        people.map(({ username }) => username),
      )
      .execute();
    const at = clock.now() + 20_000;
    const rows = Array.from({ length: 1_000 }, (_, n) => ({
      user_id: users[n % users.length]?.id ?? 0,
      message_id,
      channel_id: id,
      note: `number ${n}`,
      remind_at: at,
      status: "waiting" as const,
      created_at: clock.now(),
    }));
    for (let from = 0; from < rows.length; from += 100)
      await server.ctx.db
        .insertInto("reminders")
        .values(rows.slice(from, from + 100))
        .execute();
    clock.ahead += 21_000;
    await Promise.all([remindDue(server.ctx), remindDue(server.ctx)]);
    const waiting = server.ctx.db.selectFrom("reminders").select("id").where("ended_at", "is", null);
    await eventually("none waits", async () => (await waiting.where("remind_at", "=", at).execute()).length === 0);
    const made = server.ctx.db.selectFrom("notifications").select("notice").where("reminded_id", "=", message_id);
    const notes = (await made.execute()).map(({ notice }) => JSON.parse(notice ?? "{}").detail);
    expect(new Set(notes).size).toBe(1_000);
    expect(notes).toHaveLength(1_000);
  });

  test("a reminder of a purged channel ends, and its notification goes", async () => {
    const [ann, ben] = [await server.newUser(), await server.newUser()];
    const { id } = await newChannel(ann);
    const message_id = await sayId(ann, id, "for a week");
    const [soon, late] = [
      await remind(ben, { message_id }),
      await remind(ben, { message_id, remind_at: later(9 * DAY_MS) }),
    ];
    clock.ahead += 21_000;
    await ended(ben, soon.reminder_id);
    await ann.delete(`/api/channels/${id}`);
    // The newest message of the server would keep its row.
    await sayId(ann, (await newChannel(ann)).id, "newer");
    clock.ahead += 8 * DAY_MS;
    while (await purgePass(server.ctx, purgeSome));
    const left = server.ctx.db.selectFrom("notifications").select("id").where("reminded_id", "=", message_id);
    expect(await left.execute()).toEqual([]);
    clock.ahead += 2 * DAY_MS;
    const status = server.ctx.db.selectFrom("reminders").select("status").where("id", "=", late.reminder_id);
    await eventually("it has ended", async () => (await status.executeTakeFirst())?.status === "ended");
  });

  test("what has ended leaves the list after 30 days", async () => {
    const ann = await server.newUser();
    const { id } = await newChannel(ann);
    const { reminder_id } = await remind(ann, { message_id: await sayId(ann, id, "old") });
    clock.ahead += 21_000;
    await ended(ann, reminder_id);
    clock.ahead += 31 * DAY_MS;
    const row = server.ctx.db.selectFrom("reminders").select("id").where("id", "=", reminder_id);
    expect(await row.execute()).toHaveLength(1);
    // There are more than a pass deletes.
    for (let pass = 0; pass < 4; pass += 1) await forgetReminders(server.ctx);
    expect(await row.execute()).toEqual([]);
  });
});
