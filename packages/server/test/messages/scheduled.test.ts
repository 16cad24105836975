import { expect, test } from "bun:test";
import { SCHEDULED_PER_SENDER } from "@parley/protocol/scheduled";
import { revokeKey } from "../../src/agents/keys/keys.ts";
import { sweepFiles } from "../../src/files/sweep.ts";
import { sendDue } from "../../src/scheduled/send-due.ts";
import { datedClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { upload } from "../support/files/sent-file.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { type Client, eventually, startTestServer } from "../support/servers/test-server.ts";

const PATH = "/api/scheduled";
const HOUR_MS = 3_600_000;

/** Protocol §13.6 over real HTTP. */
eachDatabase(async (_, open) => {
  const clock = datedClock();
  const server = await forAllTests(startTestServer({ rateLimits: "off" }, { database: await open(), clock }));
  const later = (ms = 20_000) => new Date(clock.now() + ms).toISOString();
  const textsIn = async (user: Client, id: number): Promise<string[]> =>
    (await user.get(`/api/messages?channel_id=${id}`)).body.messages.map(({ content }: { content: string }) => content);
  /** Returns one of the user's scheduled messages when it has ended. */
  const ended = (user: Client, id: number) =>
    eventually("the message has ended", async () => {
      const { scheduled } = (await user.get(PATH)).body;
      const found = scheduled.find(({ scheduled_id }: { scheduled_id: number }) => scheduled_id === id);
      return found.status === "waiting" ? undefined : found;
    });
  const scheduled = async (user: Client, body: object) => {
    const answer = await user.post(PATH, { send_at: later(), ...body });
    expect([answer.status, answer.body.code]).toEqual([201, undefined]);
    return answer.body.scheduled;
  };

  test("a message is sent at its time, once, and its sender's devices hear of it", async () => {
    const ann = await server.newUser();
    const { id, slug } = await newChannel(ann);
    using device = await TestSocket.open(server.url, { cookie: ann.credential.cookie ?? "" });
    const root = (await ann.post("/api/messages", { channel_id: id, content: "root" })).body.message_id;
    const body = { channel_slug: slug, content: "Good morning", thread_root_id: root, also_in_channel: true };
    const made = await scheduled(ann, body);
    expect(made).toMatchObject({
      ...body,
      channel_id: id,
      agent_name: null,
      reply_to_id: null,
      file_ids: [],
      status: "waiting",
      failure: null,
      message_id: null,
    });
    await sendDue(server.ctx);
    expect(await textsIn(ann, id)).toEqual(["root"]);
    clock.ahead += 21_000;
    const done = await ended(ann, made.scheduled_id);
    await Promise.all([sendDue(server.ctx), sendDue(server.ctx)]);
    const { messages } = (await ann.get(`/api/messages?channel_id=${id}`)).body;
    expect(messages).toHaveLength(2);
    expect(messages[1]).toMatchObject({ content: "Good morning", thread_root_id: root, also_in_channel: true });
    expect(done).toMatchObject({ status: "sent", message_id: messages[1].id, failure: null });
    const heard = () => device.frames.filter(({ event }) => event === "scheduled:update");
    await eventually("both events", () => heard().length === 2);
    expect(heard().map(({ data }) => data.scheduled.status)).toEqual(["waiting", "sent"]);
  });

  test("text and time change, and a message is cancelled, until it is sent", async () => {
    const [ann, ben] = [await server.newUser(), await server.newUser()];
    const { id } = await newChannel(ann);
    const [one, two] = [
      await scheduled(ann, { channel_id: id, content: "one" }),
      await scheduled(ann, { channel_id: id, content: "two", send_at: later(15_000) }),
    ];
    expect((await ann.get(`${PATH}?status=waiting`)).body.scheduled).toEqual([two, one]);
    const place = `${PATH}/${one.scheduled_id}`;
    expectError(await ben.put(place, { content: "mine" }), 404, "scheduled_not_found");
    expectError(await ben.delete(place), 404, "scheduled_not_found");
    expectError(await ann.put(place, {}), 400, "no_fields");
    expectError(await ann.put(place, { content: "  " }), 400, "content_required");
    expectError(await ann.put(place, { send_at: later(-1_000) }), 400, "invalid_send_at");
    const changed = (await ann.put(place, { content: "first", send_at: later(HOUR_MS) })).body.scheduled;
    expect(changed).toMatchObject({ content: "first", status: "waiting" });
    const cancelled = await ann.delete(`${PATH}/${two.scheduled_id}`);
    expect(cancelled.body.scheduled.status).toBe("cancelled");
    clock.ahead += 21_000;
    await sendDue(server.ctx);
    expect(await textsIn(ann, id)).toEqual([]);
    clock.ahead += HOUR_MS;
    expect((await ended(ann, one.scheduled_id)).status).toBe("sent");
    expect(await textsIn(ann, id)).toEqual(["first"]);
    expectError(await ann.delete(place), 409, "scheduled_over");
    expectError(await ann.put(place, { content: "late" }), 409, "scheduled_over");
  });

  test("a request that is repeated with its Idempotency-Key stores one message", async () => {
    const ann = await server.newUser();
    const scout = await server.agent();
    const { slug } = await newChannel(ann);
    const headers = { "idempotency-key": `once-${slug}` };
    const body = { channel_slug: slug, content: "once", send_at: later() };
    for (const [caller, path] of [[ann, PATH] as const, [scout, "/api/agenthub/scheduled"] as const]) {
      const named = caller === ann ? body : { ...body, agent_name: "Once" };
      const answers = await Promise.all([1, 2, 3].map(() => caller.post(path, named, { headers })));
      expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
      expect(new Set(answers.map(({ body }) => body.scheduled.scheduled_id)).size).toBe(1);
      const other = { ...named, content: "twice" };
      expectError(await caller.post(path, other, { headers }), 409, "idempotency_conflict");
    }
  });

  test("what a send would refuse is refused at once, and so are other times", async () => {
    const [ann, ben] = [await server.newUser(), await server.newUser()];
    const { id } = await newChannel(ann, { is_private: true, password: "long-enough-1" });
    const channel_id = id;
    const send = (user: Client, body: object) =>
      user.post(PATH, { channel_id, content: "x", send_at: later(), ...body });
    expectError(await send(ben, {}), 403, "password_required");
    for (const send_at of [later(9_000), later(366 * 86_400_000), "tomorrow", ""])
      expectError(await send(ann, { send_at }), 400, "invalid_send_at");
    expectError(await send(ann, { content: " " }), 400, "content_required");
    expectError(await send(ann, { content: "x".repeat(4_001) }), 400, "message_too_long");
    expectError(await send(ann, { reply_to_id: 999_999 }), 404, "message_not_found");
    expectError(await send(ann, { file_ids: [999_999] }), 404, "file_not_found");
    expect((await ann.get(PATH)).body.scheduled).toEqual([]);
  });

  test("the rights count that the sender has at its time, and the sender gets a notice with the reason of a refusal", async () => {
    const [ann, ben] = [await server.newUser(), await server.newUser()];
    const { id } = await newChannel(ann);
    const made = await scheduled(ben, { channel_id: id, content: "now banned" });
    expect((await ann.post(`/api/channels/${id}/bans`, { username: ben.username })).status).toBeLessThan(300);
    clock.ahead += 21_000;
    expect(await ended(ben, made.scheduled_id)).toMatchObject({
      status: "failed",
      failure: "banned",
      message_id: null,
    });
    expect(await textsIn(ann, id)).toEqual([]);
    const { notifications } = (await ben.get("/api/notifications")).body;
    const notice = { code: "scheduled_failed", detail: "banned", subject: expect.any(String) };
    expect(notifications.map(({ notice }: { notice?: object }) => notice)).toContainEqual(notice);
  });

  test("a suspended user's message fails, and one that is more than an hour late is missed", async () => {
    const [ann, ben] = [await server.newUser(), await server.newUser()];
    const { id } = await newChannel(ann);
    const [suspended, late] = [
      await scheduled(ben, { channel_id: id, content: "suspended" }),
      await scheduled(ann, { channel_id: id, content: "late" }),
    ];
    const users = server.ctx.db.updateTable("users").where("username", "=", ben.username);
    await users.set({ suspended_until: clock.now() + 10 * HOUR_MS }).execute();
    clock.ahead += 21_000 + HOUR_MS;
    const rows = server.ctx.db.selectFrom("scheduled_messages").select(["failure"]).orderBy("id");
    const ids = [suspended, late].map(({ scheduled_id }) => scheduled_id);
    // They end one after the other, and a suspended user cannot ask.
    const isMissed = async () =>
      (await rows.where("id", "in", ids).execute()).every(({ failure: f }) => f === "missed");
    await eventually("both are missed", isMissed);
    await users.set({ suspended_until: null }).execute();
    const again = await scheduled(ben, { channel_id: id, content: "suspended" });
    await users.set({ suspended_until: clock.now() + 10 * HOUR_MS }).execute();
    clock.ahead += 21_000;
    const failure = () => rows.where("id", "=", again.scheduled_id).executeTakeFirst();
    await eventually("it has failed", async () => (await failure())?.failure === "account_suspended");
    expect(await textsIn(ann, id)).toEqual([]);
  });

  test("a message whose node died while it was sent is sent once", async () => {
    const ann = await server.newUser();
    const { id } = await newChannel(ann);
    const [before, after] = [
      await scheduled(ann, { channel_id: id, content: "before" }),
      await scheduled(ann, { channel_id: id, content: "after" }),
    ];
    // One had died before it sent, the other one after it had.
    const sent = { channel_id: id, content: "after", client_msg_id: `scheduled-${after.scheduled_id}` };
    expect((await ann.post("/api/messages", sent)).status).toBe(201);
    const ids = [before, after].map(({ scheduled_id }) => scheduled_id);
    const taken = { status: "sending" as const, taken_at: clock.now() + 21_000 };
    await server.ctx.db.updateTable("scheduled_messages").set(taken).where("id", "in", ids).execute();
    expectError(await ann.delete(`${PATH}/${before.scheduled_id}`), 409, "scheduled_over");
    clock.ahead += 21_000;
    await sendDue(server.ctx);
    expect(await textsIn(ann, id)).toEqual(["after"]);
    clock.ahead += 31_000;
    expect([(await ended(ann, ids[0] ?? 0)).status, (await ended(ann, ids[1] ?? 0)).status]).toEqual(["sent", "sent"]);
    expect((await textsIn(ann, id)).toSorted()).toEqual(["after", "before"]);
  });

  test("a message that was sent before its node died is not missed, however late another node looks", async () => {
    const ann = await server.newUser();
    const { id } = await newChannel(ann);
    const made = await scheduled(ann, { channel_id: id, content: "sent" });
    const key = `scheduled-${made.scheduled_id}`;
    const { message_id } = (await ann.post("/api/messages", { channel_id: id, content: "sent", client_msg_id: key }))
      .body;
    const taken = { status: "sending" as const, taken_at: clock.now() + 21_000 };
    await server.ctx.db.updateTable("scheduled_messages").set(taken).where("id", "=", made.scheduled_id).execute();
    clock.ahead += 2 * HOUR_MS;
    expect(await ended(ann, made.scheduled_id)).toMatchObject({ status: "sent", message_id, failure: null });
  });

  test("a message that slow mode holds back is tried again later, and keeps no other sender waiting", async () => {
    const [ann, ben] = [await server.newUser(), await server.newUser()];
    const { id } = await newChannel(ann, { slow_mode_seconds: 60 });
    await ben.post(`/api/channels/${id}/join`);
    const one = await scheduled(ben, { channel_id: id, content: "one" });
    const two = await scheduled(ben, { channel_id: id, content: "two" });
    const other = await scheduled(ann, { channel_id: id, content: "other" });
    clock.ahead += 21_000;
    expect([(await ended(ben, one.scheduled_id)).status, (await ended(ann, other.scheduled_id)).status]).toEqual([
      "sent",
      "sent",
    ]);
    const state = server.ctx.db.selectFrom("scheduled_messages").select(["status", "retry_at"]);
    const held = state.where("id", "=", two.scheduled_id);
    await eventually("it waits", async () => ((await held.executeTakeFirstOrThrow()).retry_at ?? 0) > clock.now());
    expect((await held.executeTakeFirstOrThrow()).status).toBe("waiting");
    // Its turn is timed by a clock that this test does not move.
    expect((await ann.put(`/api/channels/${id}`, { slow_mode_seconds: 0 })).status).toBe(200);
    clock.ahead += 61_000;
    expect((await ended(ben, two.scheduled_id)).status).toBe("sent");
  });

  test("an agent schedules by the same rules, with its key's rights", async () => {
    const ann = await server.newUser();
    const { id, slug } = await newChannel(ann);
    const scout = await server.agent("Scout");
    const path = "/api/agenthub/scheduled";
    const body = { channel_slug: slug, content: "report", send_at: later() };
    const [first, second] = [await scout.post(path, body), await scout.post(path, { ...body, content: "never" })];
    expect([first.status, first.body.scheduled.agent_name]).toEqual([201, "Scout"]);
    expectError(await ann.get(path), 401, "missing_api_key");
    const place = `${path}/${second.body.scheduled.scheduled_id}`;
    expectError(await ann.delete(`${PATH}/${second.body.scheduled.scheduled_id}`), 404, "scheduled_not_found");
    expect((await scout.put(place, { send_at: later(60_000) })).body.scheduled.content).toBe("never");
    clock.ahead += 21_000;
    const sent = async () => (await scout.get(`${path}?status=sent`)).body.scheduled;
    // It is marked as sent after the message is there.
    await eventually("it is sent", async () => (await sent()).length === 1);
    const { messages } = (await ann.get(`/api/messages?channel_id=${id}`)).body;
    expect(messages[0]).toMatchObject({ sender_type: "agent", agent_name: "Scout", content: "report" });
    const third = (await scout.post(path, { ...body, send_at: later() })).body.scheduled.scheduled_id;
    expect((await scout.delete(`${path}/${third}`)).body.scheduled.status).toBe("cancelled");
    await revokeKey(server.ctx, scout.apiKey);
    await eventually("the server knows", async () => (await scout.get(path)).body.code === "key_revoked");
    clock.ahead += 60_000;
    const row = () => server.ctx.db.selectFrom("scheduled_messages").select("failure").where("content", "=", "never");
    await eventually("it has failed", async () => (await row().executeTakeFirst())?.failure === "key_revoked");
  });

  test("100 wait for one sender, and one by one they are all sent in order", async () => {
    const ann = await server.newUser();
    const { id } = await newChannel(ann);
    // On a busy machine, 100 requests take a while, and a time must be ahead of each.
    const send_at = later(HOUR_MS / 2);
    const texts = Array.from({ length: SCHEDULED_PER_SENDER }, (_, n) => `number ${n}`);
    for (const content of texts) await scheduled(ann, { channel_id: id, content, send_at });
    expectError(await ann.post(PATH, { channel_id: id, content: "one more", send_at }), 409, "scheduled_limit_reached");
    clock.ahead += HOUR_MS / 2 + 1_000;
    await eventually("all are sent", async () => (await ann.get(`${PATH}?status=waiting`)).body.scheduled.length === 0);
    expect(
      (await ann.get(`/api/messages?channel_id=${id}&limit=200`)).body.messages.map(
        (m: { content: string }) => m.content,
      ),
    ).toEqual(texts);
    await scheduled(ann, { channel_id: id, content: "room again" });
  });

  test("its files are kept until then, although they are not sent for a day", async () => {
    const ann = await server.newUser();
    const { id } = await newChannel(ann);
    const { file } = (await upload(ann, "minutes", "minutes.txt")).body;
    const made = await scheduled(ann, { channel_id: id, file_ids: [file.file_id], send_at: later(72 * HOUR_MS) });
    expect(made.file_ids).toEqual([file.file_id]);
    clock.ahead += 48 * HOUR_MS;
    await sweepFiles(server.ctx);
    clock.ahead += 24 * HOUR_MS + 1_000;
    expect((await ended(ann, made.scheduled_id)).failure).toBeNull();
    const { messages } = (await ann.get(`/api/messages?channel_id=${id}`)).body;
    expect(messages[0].files).toMatchObject([{ file_id: file.file_id, name: "minutes.txt" }]);
  });
});
