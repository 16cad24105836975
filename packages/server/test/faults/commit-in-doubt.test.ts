import { afterAll, beforeAll, expect, spyOn, test } from "bun:test";
import { EventReader } from "../support/servers/event-reader.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { type Client, eventually, logIn, startTestServer, type TestServer } from "../support/servers/test-server.ts";

/** A database that goes away after it has committed and before it has confirmed, as PostgreSQL does on a restart. */
let server: TestServer;
let ann: Client;
let bob: Client;
/** This many transactions with events are committed without confirmation. */
let breaks = 0;
/** And this many transactions without events. */
let refuses = false;

beforeAll(async () => {
  server = await startTestServer();
  [ann, bob] = [await server.user("ann"), await server.user("bob")];
  // This makes her a member.
  await ann.post("/api/messages", { channel_slug: "general", content: "hello" });
  const { db } = server.ctx;
  const transaction = db.transaction.bind(db);
  spyOn(db, "transaction").mockImplementation(() => {
    const made = transaction();
    const execute = made.execute.bind(made);
    made.execute = async (act) => {
      if (breaks === 0) return execute(act);
      breaks -= 1;
      const gone = Object.assign(new Error("terminating connection due to administrator command"), { code: "57P01" });
      await execute(async (trx) => {
        await act(trx);
        if (refuses) throw gone;
      });
      throw gone;
    };
    return made;
  });
});
afterAll(() => server[Symbol.asyncDispose]());

const away = async (act: () => Promise<{ status: number; body: { code?: string } }>) => {
  breaks = 1;
  expect(await act()).toMatchObject({ status: 503, body: { code: "storage_unavailable" } });
};

test("a commit without confirmation is published to subscribers in order, even if nothing follows it", async () => {
  using socket = await TestSocket.open(server.url);
  const { data } = await socket.command("channel:join", { channel_slug: "general" });
  const body = { channel_slug: "general", content: "one", client_msg_id: "message-1" };
  await away(() => ann.post("/api/messages", body));
  const heard = () => socket.frames.filter(({ data }) => data?.seq > 0).map(({ event }) => event);
  await eventually("the message is heard", () => heard().length === 1);
  const again = await ann.post("/api/messages", body);
  expect(again.body).toMatchObject({ deduplicated: true, seq: data.last_seq + 1 });
  await away(() => ann.put(`/api/messages/${again.body.message_id}`, { content: "two" }));
  await eventually("the edit is heard", () => heard().length === 2);
  expect(heard()).toEqual(["message:new", "message:update"]);
});

test("a commit without confirmation notifies the mentioned users, and a rolled-back one does not", async () => {
  const agent = await server.agent("Herald");
  using socket = await TestSocket.open(server.url, bob.credential);
  await using stream = await EventReader.open(server.url, agent.credential);
  await eventually("it listens", () => stream.lastEventId !== null);
  const say = (content: string) => ann.post("/api/messages", { channel_slug: "general", content });
  refuses = true;
  await away(() => say("@bob @Herald lost"));
  refuses = false;
  await away(() => say("@bob @Herald kept"));
  const contents = (events: readonly { event: string; data: { chat_message: { content: string } } }[]) =>
    events.filter(({ event }) => event === "mention:new").map(({ data }) => data.chat_message.content);
  await eventually("the agent hears it", () => contents(stream.events).length > 0);
  await eventually("the user hears it", () => contents(socket.frames).length > 0);
  for (const heard of [stream.events, socket.frames]) expect(contents(heard)).toEqual(["@bob @Herald kept"]);
});

test("a membership removed by a commit without confirmation is gone", async () => {
  const { id } = (await ann.post("/api/channels", { name: "Den", is_private: true })).body.channel;
  await ann.put(`/api/channels/${id}/members/bob`, {});
  using socket = await TestSocket.open(server.url, bob.credential);
  await socket.command("channel:join", { channel_id: id });
  await away(() => ann.delete(`/api/channels/${id}/members/bob`));
  expect((await bob.get(`/api/messages?channel_id=${id}`)).status).toBe(404);
  await eventually("the socket hears it", () => socket.frames.some(({ event }) => event === "access:ended"));

  const elsewhere = await logIn(server.url, "bob");
  expect((await elsewhere.get("/api/auth/sessions")).status).toBe(200);
  await away(() => bob.delete("/api/auth/sessions"));
  expect((await elsewhere.get("/api/auth/sessions")).status).toBe(401);

  const agent = await server.agent("Scout");
  expect((await agent.get("/api/agenthub/mentions")).status).toBe(200);
  await away(() => agent.delete(`/api/agenthub/agent-api-key/${agent.keyId}`));
  expect((await agent.get("/api/agenthub/mentions")).body.code).toBe("key_revoked");
});
