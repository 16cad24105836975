import { describe, expect, test } from "bun:test";
import { sessionCookie, startSession } from "../../src/accounts/sessions/sessions.ts";
import { user } from "../support/actors.ts";
import { eachDatabase } from "../support/databases.ts";
import { EventReader } from "../support/servers/event-reader.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import { code, newChannel, realtimeBench } from "../support/servers/realtime.ts";
import { Client, eventually, startTestServer, type TestServer } from "../support/servers/test-server.ts";

const { server, open } = await realtimeBench();

const kind = (reaction: string, count: number, me = false) => ({ reaction, count, me });

async function room() {
  const ada = await server.newUser();
  const { id, slug } = await newChannel(ada);
  const { body } = await ada.post("/api/messages", { channel_id: id, content: "hello" });
  const message_id: number = body.message_id;
  return { ada, id, slug, message_id, path: `/api/messages/${message_id}/reactions` };
}

describe("reaction:add and reaction:remove", () => {
  test("are answered as over HTTP and reach everybody as one numbered event each", async () => {
    const { ada, id, message_id, path } = await room();
    const bob = await server.newUser();
    await using socket = await open(ada);
    await using witness = await open();
    for (const each of [socket, witness]) await each.ask("channel:join", { channel_id: id });
    const added = await socket.ask("reaction:add", { message_id, reaction: "❤" });
    expect(added.data).toEqual({ success: true, message_id, reactions: [kind("❤️", 1, true)] });
    expect((await ada.put(`${path}/${encodeURIComponent("❤️")}`)).body).toEqual(added.data);
    await bob.put(`${path}/${encodeURIComponent("❤️")}`);
    const removed = await socket.ask("reaction:remove", { message_id, reaction: "❤️" });
    expect(removed.data).toEqual({ success: true, message_id, reactions: [kind("❤️", 1)] });
    expect((await ada.delete(`${path}/${encodeURIComponent("❤")}`)).body).toEqual(removed.data);
    await eventually("three events", () => witness.all("reaction:update").length === 3);
    await socket.settle();
    expect(socket.all("reaction:update")).toEqual(witness.all("reaction:update"));
    const who = { agent_name: null, agent_id: null, reaction: "❤️", channel_id: id, message_id };
    expect(witness.all("reaction:update").map(({ data }) => data)).toEqual([
      { ...who, seq: 2, username: ada.username, added: true, reactions: [kind("❤️", 1)] },
      { ...who, seq: 3, username: bob.username, added: true, reactions: [kind("❤️", 2)] },
      { ...who, seq: 4, username: ada.username, added: false, reactions: [kind("❤️", 1)] },
    ]);
  });

  test("are refused as over HTTP", async () => {
    const { ada, id, message_id } = await room();
    const hidden = await newChannel(ada, { is_private: true });
    const locked = await newChannel(ada, { is_private: true, password: "open sesame" });
    const say = async (channel_id: number): Promise<number> =>
      (await ada.post("/api/messages", { channel_id, content: "x" })).body.message_id;
    const [inHidden, inLocked, gone] = [await say(hidden.id), await say(locked.id), await say(id)];
    await ada.delete(`/api/messages/${gone}`);
    const bob = await server.newUser();
    await using socket = await open(bob);
    await using guest = await open();
    for (const event of ["reaction:add", "reaction:remove"]) {
      const ask = async (data: object) => code(await socket.ask(event, { message_id, reaction: "like", ...data }));
      expect(await ask({ reaction: "👍👍" })).toBe("error invalid_reaction");
      expect(await ask({ reaction: "" })).toBe("error invalid_reaction");
      expect(await ask({ reaction: 5 })).toBe("error invalid_reaction");
      expect(await ask({ message_id: "x" })).toBe("error invalid_id");
      expect(await ask({ message_id: 999_999 })).toBe("error message_not_found");
      expect(await ask({ message_id: inHidden })).toBe("error message_not_found");
      expect(await ask({ message_id: inLocked })).toBe("error password_required");
      expect(await ask({ message_id: gone })).toBe("error message_deleted");
      expect(code(await guest.ask(event, { message_id: "x" }))).toBe("error session_required");
    }
    for (let n = 0; n < 20; n++) await ada.put(`/api/messages/${message_id}/reactions/r${n}`);
    expect(code(await socket.ask("reaction:add", { message_id, reaction: "r20" }))).toBe(
      "error reaction_limit_reached",
    );
    const muted_until = new Date(Date.now() + 60_000).toISOString();
    await ada.put(`/api/channels/${id}/members/${bob.username}`, { muted_until });
    expect(code(await socket.ask("reaction:add", { message_id, reaction: "r1" }))).toBe("error muted");
    expect((await ada.post(`/api/channels/${id}/bans`, { username: bob.username })).status).toBe(201);
    expect(code(await socket.ask("reaction:add", { message_id, reaction: "r1" }))).toBe("error banned");
    expect((await bob.put(`/api/messages/${message_id}/reactions/r1`)).body.code).toBe("banned");
  });

  test("name the agent for an agent's reaction, on sockets and on its stream", async () => {
    const { id, slug, path } = await room();
    const agent = await server.agent("Clock Tower");
    await agent.post("/api/agenthub/login", { channel_slug: slug, agent_name: "Clock Tower" });
    await using witness = await open();
    await witness.ask("channel:join", { channel_id: id });
    await using reader = await EventReader.open(server.url, agent.credential);
    expect((await agent.put(`${path}/like`)).status).toBe(200);
    const { data } = await witness.next("reaction:update");
    expect(data).toMatchObject({
      username: null,
      agent_name: "Clock Tower",
      agent_id: agent.agentId,
      reaction: "like",
    });
    expect((await reader.next(({ event }) => event === "reaction:update")).data).toEqual(data);
    const nameless = await server.agent();
    expect((await nameless.put(`${path}/like`)).status).toBe(200);
    const second = await witness.find(({ event, data }) => event === "reaction:update" && data.seq === 3);
    expect(second.data).toMatchObject({ agent_name: "PlatformAgent", agent_id: nameless.agentId });
  });

  test("are resumed as the same frames, from memory and from the database", async () => {
    const { ada, id, message_id, path } = await room();
    const bob = await server.newUser();
    await using witness = await open();
    await witness.ask("channel:join", { channel_id: id });
    await ada.put(`${path}/like`);
    await bob.put(`${path}/like`);
    await ada.delete(`${path}/like`);
    await eventually("three events", () => witness.all("reaction:update").length === 3);
    const missed = async () => {
      await using socket = await open(ada);
      const { data } = await socket.ask("channel:join", {
        channel_id: id,
        after_seq: 1,
        epoch: server.ctx.epoch,
      });
      expect(data.recovered).toBe(true);
      return data.events;
    };
    expect(await missed()).toEqual(witness.all("reaction:update"));
    // An edit drops the frames from memory, because they contain the earlier text.
    await ada.put(`/api/messages/${message_id}`, { content: "changed" });
    await witness.next("message:update");
    expect((await missed()).slice(0, 3)).toEqual(witness.all("reaction:update"));
    const record = (await witness.next("message:update")).data.chat_message;
    expect(record.reactions).toEqual([kind("like", 1)]);
  });
});

eachDatabase((_, openDatabase) => {
  test("are counted exactly for a hundred users at once, each with its own seq", async () => {
    await using server = await startTestServer({ rateLimits: "off" }, { database: await openDatabase() });
    const ann = await server.user("ann");
    const { id } = await newChannel(ann);
    const { body } = await ann.post("/api/messages", { channel_id: id, content: "hello" });
    const people = await Promise.all(Array.from({ length: 100 }, (_, n) => withSession(server, `fan${n}`)));
    await using witness = await LiveSocket.open(server.url);
    await witness.ask("channel:join", { channel_id: id });
    const path = `/api/messages/${body.message_id}/reactions/like`;
    const answers = await Promise.all(people.map((fan) => fan.put(path)));
    expect(answers.map(({ status }) => status)).toEqual(Array(100).fill(200));
    await eventually("a hundred events", () => witness.all("reaction:update").length === 100, 20_000);
    expect(witness.seqs).toEqual(Array.from({ length: 100 }, (_, n) => n + 2));
    const counts = witness.all("reaction:update").map(({ data }) => data.reactions[0].count);
    expect(counts).toEqual(Array.from({ length: 100 }, (_, n) => n + 1));
    const page = (await people[0]?.get(`/api/messages?channel_id=${id}`))?.body;
    expect(page.messages[0].reactions).toEqual([kind("like", 100, true)]);
    expect(page.last_seq).toBe(101);
    // Likes pay at most 50 points a day, even if all arrive at once.
    expect((await ann.get("/api/user/ann")).body.points).toBe(100 + 50);
  });
});

/** Creates a user without a password, which takes long to hash, and a session of theirs. */
async function withSession({ ctx, url, config }: TestServer, name: string): Promise<Client> {
  const { userId } = await user(ctx, name);
  const { token } = await startSession(ctx, userId, { address: "127.0.0.1", userAgent: null });
  return new Client(url, { cookie: sessionCookie(config, token).split(";")[0] ?? "" });
}
