import { expect, test } from "bun:test";
import { SAVED_MAX } from "@parley/protocol/saved";
import { purgePass } from "../../src/channels/deleted/purge.ts";
import { purgeSome } from "../../src/messages/removal.ts";
import { eraseAll } from "../../src/privacy/erasing.ts";
import { expirePass } from "../../src/retention/expired.ts";
import { datedClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { sayId } from "../support/say.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { type Client, eventually, PASSWORD, startTestServer } from "../support/servers/test-server.ts";

const PATH = "/api/saved";

/** Protocol §13.14 over real HTTP. */
eachDatabase(async (_, open) => {
  const clock = datedClock();
  const server = await forAllTests(startTestServer({ rateLimits: "off" }, { database: await open(), clock }));
  const save = async (user: Client, id: number) => {
    const answer = await user.put(`${PATH}/${id}`, {});
    expect([answer.status, answer.body.code]).toEqual([200, undefined]);
    return answer.body;
  };
  const listed = async (user: Client) => (await user.get(PATH)).body.saved;
  const idsOf = async (user: Client): Promise<number[]> => (await user.get(`${PATH}/ids`)).body.message_ids;
  /** Waits for a socket's next event about a message. */
  const heard = async (socket: TestSocket, id: number, isSaved: boolean) => {
    const of = ({ event, data }: { event: string; data: { message_id: number; saved_at: string | null } }) =>
      event === "saved:update" && data.message_id === id && (data.saved_at !== null) === isSaved;
    return (await socket.next(of)).data;
  };

  test("a user saves messages, the newest first, and each of their devices hears of it", async () => {
    const [ann, ben] = [await server.newUser(), await server.newUser()];
    const { id, slug } = await newChannel(ann);
    const [one, two] = [await sayId(ann, id, "one"), await sayId(ben, id, "two")];
    using device = await TestSocket.open(server.url, { cookie: ann.credential.cookie ?? "" });
    using others = await TestSocket.open(server.url, { cookie: ben.credential.cookie ?? "" });
    const first = await save(ann, two);
    expect(first).toMatchObject({ message_id: two, saved_at: expect.any(String) });
    expect(await heard(device, two, true)).toEqual({ message_id: two, saved_at: first.saved_at });
    await save(ann, one);
    clock.ahead += 5_000;
    // It keeps its time and its place.
    expect(await save(ann, two)).toEqual(first);
    expect(await listed(ann)).toMatchObject([
      { message_id: one, is_available: true, chat_message: { content: "one", channel_slug: slug } },
      { message_id: two, is_available: true, saved_at: first.saved_at, chat_message: { content: "two" } },
    ]);
    expect(await idsOf(ann)).toEqual([one, two]);
    const page = (await ann.get(`${PATH}?limit=1`)).body;
    expect(page).toMatchObject({ has_more: true, limit: 1, saved: [{ message_id: one }] });
    const rest = (await ann.get(`${PATH}?limit=1&before=${page.next_before}`)).body;
    expect(rest).toMatchObject({ has_more: false, next_before: null, saved: [{ message_id: two }] });

    for (const _ of [1, 2]) expect((await ann.delete(`${PATH}/${one}`)).body).toMatchObject({ saved_at: null });
    expect(await heard(device, one, false)).toEqual({ message_id: one, saved_at: null });
    // Saving again, and removing again, says nothing.
    expect(device.frames.filter(({ event }) => event === "saved:update")).toHaveLength(3);
    expect(await idsOf(ann)).toEqual([two]);
    expect(await listed(ben)).toEqual([]);
    await save(ben, one);
    await heard(others, one, true);
    expect(others.frames.filter(({ event }) => event === "saved:update")).toHaveLength(1);
  });

  test("a message is shown with the rights of now", async () => {
    const [ann, ben] = [await server.newUser(), await server.newUser()];
    const room = await newChannel(ann, { is_private: true });
    const path = `/api/channels/${room.id}/members/${ben.username}`;
    const id = await sayId(ann, room.id, "between us");
    expectError(await ben.put(`${PATH}/${id}`, {}), 404, "message_not_found");
    await ann.put(path, {});
    await save(ben, id);
    expect(await listed(ben)).toMatchObject([{ is_available: true, chat_message: { content: "between us" } }]);
    await ann.delete(path);
    const without = await ben.get(PATH);
    expect(without.body.saved).toMatchObject([{ message_id: id, is_available: false, chat_message: null }]);
    expect(JSON.stringify(without.body)).not.toContain("between us");
    expect(JSON.stringify(without.body)).not.toContain(room.slug);
    await ann.put(path, {});
    expect(await listed(ben)).toMatchObject([{ is_available: true, chat_message: { content: "between us" } }]);
    await ann.delete(`/api/messages/${id}`);
    expect(await listed(ben)).toMatchObject([{ is_available: false, chat_message: null }]);
    expectError(await ann.put(`${PATH}/${id}`, {}), 409, "message_deleted");
    // A message that is deleted can be removed, also by one who may not read the channel any more.
    await ann.delete(path);
    expect((await ben.delete(`${PATH}/${id}`)).status).toBe(200);
    // One that has ended is as good as deleted, also until it is removed.
    const ended = await sayId(ann, room.id, "for a moment");
    await server.ctx.db.updateTable("messages").set({ expires_at: 1 }).where("id", "=", ended).execute();
    expectError(await ann.put(`${PATH}/${ended}`, {}), 409, "message_deleted");
    expect(await listed(ben)).toEqual([]);
  });

  test("a message that has ended is not shown, and goes with its row", async () => {
    const ann = await server.newUser();
    const room = await newChannel(ann);
    const [brief, kept] = [await sayId(ann, room.id, "brief", { expires_in: 60 }), await sayId(ann, room.id, "kept")];
    for (const id of [brief, kept]) await save(ann, id);
    clock.ahead += 61_000;
    expect(JSON.stringify(await listed(ann))).not.toContain("brief");
    await expirePass(server.ctx);
    expect(await listed(ann)).toMatchObject([{ message_id: kept, is_available: true }]);
  });

  test("a deleted channel's messages are not shown, and none is left after its purge", async () => {
    const ann = await server.newUser();
    const room = await newChannel(ann);
    await save(ann, await sayId(ann, room.id, "gone"));
    await sayId(ann, "general", "the newest of all");
    await ann.delete(`/api/channels/${room.id}`);
    expect(await listed(ann)).toMatchObject([{ is_available: false, chat_message: null }]);
    await server.ctx.db.updateTable("channels").set({ deleted_at: 1 }).where("id", "=", room.id).execute();
    while (await purgePass(server.ctx, purgeSome));
    expect(await idsOf(ann)).toEqual([]);
  });

  test("bad input changes nothing", async () => {
    const ann = await server.newUser();
    expectError(await ann.put(`${PATH}/999999`, {}), 404, "message_not_found");
    for (const id of ["0", "-1", "x", "1.5", "9".repeat(20)])
      expectError(await ann.put(`${PATH}/${id}`, {}), 400, "invalid_id");
    expectError(await ann.delete(`${PATH}/x`), 400, "invalid_id");
    expectError(await ann.get(`${PATH}?limit=0`), 400, "invalid_limit");
    expectError(await server.guest.get(PATH), 401, "session_required");
    expectError(await server.guest.put(`${PATH}/1`, {}), 401, "session_required");
    expectError(await (await server.agent()).get(PATH), 401, "session_required");
    expect(await listed(ann)).toEqual([]);
  });

  test("a user saves 1,000 messages at most, however many requests come at once", async () => {
    const ann = await server.newUser();
    const room = await newChannel(ann);
    const [one, two] = [await sayId(ann, room.id, "one"), await sayId(ann, room.id, "two")];
    const user = await server.ctx.db
      .selectFrom("users")
      .select("id")
      .where("username", "=", ann.username)
      .executeTakeFirstOrThrow();
    const rows = Array.from({ length: SAVED_MAX - 1 }, (_, at) => ({
      user_id: user.id,
      message_id: 5_000_000 + at,
      created_at: 1,
    }));
    for (let at = 0; at < rows.length; at += 100)
      await server.ctx.db
        .insertInto("saved_messages")
        .values(rows.slice(at, at + 100))
        .execute();
    const answers = await Promise.all([one, two, one, two].map((id) => ann.put(`${PATH}/${id}`, {})));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 409, 409]);
    const refused = answers.find(({ status }) => status === 409);
    if (refused !== undefined) expectError(refused, 409, "saved_limit_reached");
    expect(await idsOf(ann)).toHaveLength(SAVED_MAX);
  });

  test("the copy of a user's data has what they saved without the text of others, and an erasure removes it", async () => {
    const [ann, ben] = [await server.newUser(), await server.newUser()];
    const room = await newChannel(ben);
    const id = await sayId(ben, room.id, "words of ben");
    await save(ann, id);
    const path = `/api/user/${ann.username}`;
    const copy = (await ann.get(`${path}/export`)).body;
    expect(copy.saved_messages).toEqual([{ message_id: id, saved_at: expect.any(String) }]);
    expect(JSON.stringify(copy)).not.toContain("words of ben");
    expect((await ann.delete(path, { body: { password: PASSWORD } })).status).toBe(200);
    await eraseAll(server.ctx);
    const left = () => server.ctx.db.selectFrom("saved_messages").select("id").where("message_id", "=", id).execute();
    await eventually("nothing is saved", async () => (await left()).length === 0);
  });
});
