import { expect, test } from "bun:test";
import { DELETED_USER } from "@parley/protocol/privacy";
import { forgetPolls } from "../../src/polls/close-due.ts";
import { eraseAll } from "../../src/privacy/erasing.ts";
import { datedClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { dump } from "../support/dump.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { type Client, PASSWORD, startTestServer } from "../support/servers/test-server.ts";

const TEA = { question: "Tea?", options: ["Green", "Black", "None"] };

/** What is stored about votes, and what is left of it, over real HTTP (protocol §13.7). */
eachDatabase(async (_, open) => {
  const clock = datedClock();
  const server = await forAllTests(startTestServer({ rateLimits: "off" }, { database: await open(), clock }));
  const made = async (who: Client, channel_id: number, more: object = {}) => {
    const answer = await who.post("/api/polls", { channel_id, ...TEA, ...more });
    expect([answer.status, answer.body.code]).toEqual([201, undefined]);
    return answer.body;
  };
  const vote = (who: Client, id: number, ...option_ids: number[]) => who.put(`/api/polls/${id}/vote`, { option_ids });
  const shown = async (who: Client, channelId: number, id: number) =>
    (await who.get(`/api/messages?channel_id=${channelId}&ids=${id}`)).body.messages[0];
  const counts = (poll: { options: { count: number }[] }) => poll.options.map(({ count }) => count);
  const updates = (socket: TestSocket, id: number) =>
    socket.frames.filter(({ event, data }) => event === "poll:update" && data.poll.poll_id === id);

  test("an anonymous poll names no voter: in no answer, event, export of others, log, or table but the votes", async () => {
    const ann = await server.newUser();
    const hidden = await server.newUser();
    const { id: room } = await newChannel(ann);
    await hidden.post("/api/messages", { channel_id: room, content: "hi" });
    using socket = await TestSocket.open(server.url, ann.credential);
    await socket.command("channel:join", { channel_id: room });
    const { message_id: id } = await made(ann, room, { anonymous: true });
    const answer = await vote(hidden, id, 2);
    expect(answer.body.poll.options.map(({ voters }: { voters: unknown }) => voters)).toEqual([null, null, null]);
    await socket.next(({ event }) => event === "poll:update");
    expect(JSON.stringify(answer.body)).not.toContain(hidden.username);
    expect(JSON.stringify(updates(socket, id))).not.toContain(hidden.username);
    expect(JSON.stringify((await shown(ann, room, id)).poll)).not.toContain(hidden.username);
    const resumed = await TestSocket.open(server.url, ann.credential);
    await resumed.command("channel:join", { channel_id: room, since_seq: 0 });
    expect(JSON.stringify(resumed.frames.filter(({ event }) => event === "poll:update"))).not.toContain(
      hidden.username,
    );
    resumed.close();
    expect((await ann.get(`/api/user/${ann.username}/export`)).body.poll_votes).toEqual([]);
    const own = (await hidden.get(`/api/user/${hidden.username}/export`)).body.poll_votes;
    expect(own).toEqual([{ poll_id: id, option_id: 2, created_at: expect.any(String) }]);
    const exported = await ann.get(`/api/channels/${room}/export?format=json`);
    const { messages } = exported.body;
    expect(JSON.stringify(messages.find((each: { id: number }) => each.id === id))).not.toContain(hidden.username);
    const traces = (await dump(server.ctx.db)).filter(({ text }) => text.includes(hidden.username));
    for (const { table, text } of traces.filter(({ table }) =>
      ["messages", "channel_events", "audit_log"].includes(table),
    ))
      expect([table, text.includes("poll")]).toEqual([table, false]);
  });

  test("an erased voter leaves the sums and no name, also when others vote later", async () => {
    const [ann, ben] = [await server.newUser(), await server.newUser()];
    const zed = await server.newUser();
    const { id: room } = await newChannel(ann);
    const { message_id: id } = await made(ann, room, { multiple: true });
    const { message_id: secret } = await made(ann, room, { anonymous: true });
    await vote(zed, id, 1, 2);
    await vote(ben, id, 2);
    await vote(zed, secret, 1);
    await zed.delete(`/api/user/${zed.username}`, { body: { password: PASSWORD } });
    await eraseAll(server.ctx);
    const { poll } = await shown(ann, room, id);
    expect(counts(poll)).toEqual([1, 2, 0]);
    expect(poll).toMatchObject({ total_voters: 2 });
    expect(poll.options[1].voters).toEqual([{ username: ben.username }]);
    const after = (await vote(ann, id, 1)).body.poll;
    expect(counts(after)).toEqual([2, 2, 0]);
    expect(after.options[0].voters).toEqual([{ username: ann.username }]);
    expect(counts((await shown(ann, room, secret)).poll)).toEqual([1, 0, 0]);
    const left = (await dump(server.ctx.db)).filter(({ text }) => text.includes(zed.username));
    expect(left.map(({ table }) => table)).toEqual([]);
    expect(JSON.stringify(poll)).not.toContain(DELETED_USER);
  });

  test("a deleted poll leaves a tombstone: no question, votes or events of it, also where an old node deleted it", async () => {
    const ann = await server.newUser();
    const { id: room } = await newChannel(ann);
    const { message_id: id } = await made(ann, room, { question: "Quokka poll?" });
    await vote(ann, id, 1);
    await ann.delete(`/api/messages/${id}`);
    const message = await shown(ann, room, id);
    expect(message).toMatchObject({ is_deleted: true, content: "", type: "text" });
    expect(message.poll).toBeUndefined();
    expectError(await vote(ann, id, 1), 404, "poll_not_found");
    const votes = server.ctx.db.selectFrom("poll_votes").selectAll().where("message_id", "=", id);
    expect(await votes.execute()).toEqual([]);
    using socket = await TestSocket.open(server.url, ann.credential);
    await socket.command("channel:join", { channel_id: room, since_seq: 0 });
    expect(JSON.stringify(socket.frames)).not.toContain("Quokka");

    const old = await made(ann, room);
    await vote(ann, old.message_id, 1);
    const gone = { deleted_at: clock.now(), card: null, content: "" };
    await server.ctx.db.updateTable("messages").set(gone).where("id", "=", old.message_id).execute();
    await forgetPolls(server.ctx);
    const left = server.ctx.db.selectFrom("poll_votes").selectAll().where("message_id", "=", old.message_id);
    expect(await left.execute()).toEqual([]);
  });
});
