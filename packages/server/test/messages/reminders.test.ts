import { expect, test } from "bun:test";
import { REMINDER_NOTE_MAX } from "@parley/protocol/limits";
import { remindDue } from "../../src/reminders/remind-due.ts";
import { datedClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { sayId } from "../support/say.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { type Client, eventually, startTestServer } from "../support/servers/test-server.ts";

const PATH = "/api/reminders";
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Protocol §13.16 over real HTTP. */
eachDatabase(async (_, open) => {
  const clock = datedClock();
  const database = await open();
  const server = await forAllTests(startTestServer({ rateLimits: "off" }, { database, clock }));
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

  test("a user is reminded at the time, once, and all their devices hear of it", async () => {
    const [ann, ben] = [await server.newUser(), await server.newUser()];
    const { id, slug } = await newChannel(ann);
    await ben.post(`/api/channels/${id}/join`);
    using device = await TestSocket.open(server.url, { cookie: ben.credential.cookie ?? "" });
    const message_id = await sayId(ann, id, "Please **sign** the contract");
    const made = await remind(ben, { message_id, note: " before\nnoon " });
    expect(made).toMatchObject({
      message_id,
      channel_id: id,
      channel_slug: slug,
      note: "before noon",
      status: "waiting",
      from: { kind: "user", name: ann.username },
      text: "Please sign the contract",
    });
    await remindDue(server.ctx);
    expect(await reminding(ben)).toEqual([]);
    // What is read is reminded of all the same.
    await ben.post(`/api/channels/${id}/read`, { seq: 100 });
    clock.ahead += 21_000;
    expect(await ended(ben, made.reminder_id)).toMatchObject({ status: "done", note: "before noon" });
    await Promise.all([remindDue(server.ctx), remindDue(server.ctx)]);
    const shown = await reminding(ben);
    expect(shown).toHaveLength(1);
    expect(shown[0]).toMatchObject({
      kind: "reminder",
      channel_id: id,
      message_id,
      reminder: { reminder_id: made.reminder_id, note: "before noon" },
      from: { kind: "user", name: ann.username },
      text: "Please sign the contract",
      read_at: null,
    });
    const heard = (event: string) => device.frames.filter((frame) => frame.event === event);
    await eventually("all events", () => heard("reminder:update").length === 2);
    expect(heard("reminder:update").map(({ data }) => data.reminder.status)).toEqual(["waiting", "done"]);
    expect(heard("notification:new").map(({ data }) => data.notification.kind)).toContain("reminder");
    expect(await reminding(ann)).toEqual([]);
    // Reading it is an act of its own.
    await ben.post("/api/notifications/read", { ids: [shown[0].notification_id] });
    expect((await reminding(ben))[0].read_at).toBeString();
  });

  test("time and note change, and a reminder is deleted, by its user only", async () => {
    const [ann, ben] = [await server.newUser(), await server.newUser()];
    const { id } = await newChannel(ann);
    const message_id = await sayId(ann, id, "hello");
    const [one, two] = [await remind(ann, { message_id }), await remind(ann, { message_id, remind_at: later(15_000) })];
    const idsOf = async (query: string) =>
      (await ann.get(PATH + query)).body.reminders.map((each: { reminder_id: number }) => each.reminder_id);
    expect(await idsOf("?status=waiting")).toEqual([two.reminder_id, one.reminder_id]);
    expect((await ann.get(`${PATH}?limit=1`)).body).toMatchObject({ has_more: true, next_offset: 1, limit: 1 });
    const place = `${PATH}/${one.reminder_id}`;
    expectError(await ben.put(place, { note: "mine" }), 404, "reminder_not_found");
    expectError(await ben.delete(place), 404, "reminder_not_found");
    expect((await ben.get(PATH)).body.reminders).toEqual([]);
    expectError(await ann.put(place, {}), 400, "no_fields");
    expectError(await ann.put(place, { remind_at: later(-1) }), 400, "invalid_remind_at");
    expectError(await ann.put(`${PATH}/zero`, { note: "x" }), 400, "invalid_id");
    const changed = await ann.put(place, { note: "call", remind_at: later(HOUR_MS) });
    expect(changed.body.reminder).toMatchObject({ note: "call", status: "waiting" });
    expect((await ann.put(place, { note: null })).body.reminder.note).toBeNull();
    expect((await ann.delete(`${PATH}/${two.reminder_id}`)).body.reminder.status).toBe("cancelled");
    clock.ahead += 21_000;
    await remindDue(server.ctx);
    expect(await reminding(ann)).toEqual([]);
    clock.ahead += HOUR_MS;
    await ended(ann, one.reminder_id);
    expect(await idsOf("?status=done")).toEqual([one.reminder_id]);
    expectError(await ann.put(place, { note: "late" }), 409, "reminder_over");
    expect((await ann.delete(place)).status).toBe(200);
    expectError(await ann.delete(place), 404, "reminder_not_found");
    // The notification is in the list of those, and stays.
    expect(await reminding(ann)).toHaveLength(1);
  });

  test("those that wait are listed by their time, those that are over from the newest on, page by page", async () => {
    const ann = await server.newUser();
    const { id } = await newChannel(ann);
    const message_id = await sayId(ann, id, "hello");
    const gone = await sayId(ann, id, "gone soon");
    const notes = async (query: string) => {
      const { reminders, next_offset } = (await ann.get(`${PATH}?limit=2&${query}`)).body;
      return [reminders.map(({ note }: { note: string }) => note), next_offset];
    };
    for (const [at, note] of ["one", "two", "three"].entries())
      for (const of of [message_id, gone]) await remind(ann, { message_id: of, note, remind_at: later(20_000 + at) });
    await ann.delete(`/api/messages/${gone}`);
    expect(await notes("status=waiting")).toEqual([["one", "one"], 2]);
    clock.ahead += 21_000;
    await eventually("none waits", async () => (await notes("status=waiting"))[0].length === 0);
    for (const status of ["done", "ended"]) {
      expect(await notes(`status=${status}`)).toEqual([["three", "two"], 2]);
      expect(await notes(`status=${status}&offset=2`)).toEqual([["one"], null]);
    }
  });

  test("other times, long notes, and messages that the user may not read are refused, and nothing is stored", async () => {
    const [ann, ben] = [await server.newUser(), await server.newUser()];
    const scout = await server.agent();
    const hidden = await newChannel(ann, { is_private: true });
    const locked = await newChannel(ann, { is_private: true, password: "long-enough-1" });
    const ask = (user: Client, body: object) => user.post(PATH, { remind_at: later(), ...body });
    const said = await sayId(ann, hidden.id, "secret");
    expectError(await ask(ben, { message_id: said }), 404, "message_not_found");
    expectError(await ask(ben, { message_id: await sayId(ann, locked.id, "x") }), 403, "password_required");
    expectError(await ask(ben, { message_id: 999_999_999 }), 404, "message_not_found");
    const gone = await sayId(ann, hidden.id, "gone");
    await ann.delete(`/api/messages/${gone}`);
    expectError(await ask(ann, { message_id: gone }), 409, "message_deleted");
    for (const remind_at of [later(9_000), later(366 * DAY_MS), "tomorrow", "", "2026-13-45T00:00:00.000Z"])
      expectError(await ask(ann, { message_id: said, remind_at }), 400, "invalid_remind_at");
    for (const note of ["x".repeat(REMINDER_NOTE_MAX + 1), 7, ["x"]])
      expectError(await ask(ann, { message_id: said, note }), 400, "invalid_request");
    for (const message_id of [0, -1, 1.5, "1", null]) expect((await ask(ann, { message_id })).status).toBe(400);
    expectError(await server.guest.post(PATH, { message_id: said, remind_at: later() }), 401, "session_required");
    expect((await scout.post(PATH, { message_id: said, remind_at: later() })).status).toBe(401);
    expect((await ann.get(PATH)).body.reminders).toEqual([]);
    expect((await ben.get(PATH)).body.reminders).toEqual([]);
    expect((await remind(ann, { message_id: said, note: "  " })).note).toBeNull();
  });

  test("a request that is repeated with its Idempotency-Key makes one reminder", async () => {
    const ann = await server.newUser();
    const { id, slug } = await newChannel(ann);
    const body = { message_id: await sayId(ann, id, "once"), remind_at: later() };
    const headers = { "idempotency-key": `once-${slug}` };
    const answers = [await ann.post(PATH, body, { headers }), await ann.post(PATH, body, { headers })];
    expect(answers.map(({ status }) => status)).toEqual([201, 200]);
    expect((await ann.get(PATH)).body.reminders).toHaveLength(1);
  });
});
