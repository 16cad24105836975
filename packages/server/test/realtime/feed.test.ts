import { expect, spyOn, test } from "bun:test";
import { onFeedMessage } from "../../src/event-log/feed/feed-listeners.ts";
import { MemoryBroker } from "../../src/realtime/broker/broker.memory.ts";
import type { BrokerMessage } from "../../src/realtime/broker/broker.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { eventually, startTestServer } from "../support/servers/test-server.ts";

/** A broker that loses, repeats and reorders the events of channels, as a real one may (guarantees P4). */
class LyingBroker extends MemoryBroker {
  #state = 7;
  #held: [string, BrokerMessage[]][] = [];
  honest = false;

  override publish(topic: string, messages: readonly BrokerMessage[]): void {
    if (this.honest || !topic.startsWith("c:")) {
      super.publish(topic, messages);
      return;
    }
    for (const message of messages) {
      const chance = this.#chance();
      if (chance < 2) continue;
      if (chance < 5) this.#held.push([topic, [message]]);
      else super.publish(topic, [message]);
      if (chance === 9) super.publish(topic, [message]);
    }
    if (this.#held.length > 5) for (const [held, late] of this.#held.splice(0).reverse()) super.publish(held, late);
  }

  /** 0 to 9, the same in every run. */
  #chance(): number {
    this.#state = (this.#state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor(this.#state / 65_536) % 10;
  }
}

test("a broker that loses, repeats and reorders events delays messages but loses none", async () => {
  const broker = new LyingBroker();
  await using server = await startTestServer({}, { broker });
  const ann = await server.user("ann");
  using socket = await TestSocket.open(server.url);
  const joined = await socket.command("channel:join", { channel_slug: "general" });
  const start: number = joined.data.last_seq;
  const heard: number[] = [];
  onFeedMessage(server.ctx, (_, { seq }) => heard.push(seq ?? 0));
  const ids: number[] = [];
  for (let n = 0; n < 300; n++) {
    const { body } = await ann.post("/api/messages", { channel_slug: "general", content: `m${n}` });
    ids.push(body.message_id);
    if (n % 10 === 0) await ann.put(`/api/messages/${body.message_id}`, { content: `edited ${n}` });
    if (n % 15 === 0) await ann.delete(`/api/messages/${body.message_id}`);
  }
  broker.honest = true;
  const last = await ann.post("/api/messages", { channel_slug: "general", content: "last" });
  await eventually("the last frame", () => socket.frames.some(({ data }) => data.seq === last.body.seq));
  const seqs = socket.frames
    .filter(({ data, ref }) => ref === undefined && data.seq !== undefined)
    .map(({ data }) => data.seq);
  expect(seqs).toEqual(Array.from({ length: last.body.seq - start }, (_, n) => start + n + 1));
  expect(heard).toEqual(seqs);
  const page = await server.guest.get("/api/messages?channel_id=general&limit=200");
  const stored = await server.guest.get(`/api/messages?channel_id=general&limit=200&around=${ids[250]}`);
  const byId = new Map(stored.body.messages.map((message: { id: number }) => [message.id, message]));
  for (const message of page.body.messages) if (byId.has(message.id)) expect(message).toEqual(byId.get(message.id));
  expect(page.body.messages.find(({ id }: { id: number }) => id === ids[285])).toMatchObject({
    is_deleted: true,
    content: "",
  });
});

/** A broker that loses what is published. */
class LosingBroker extends MemoryBroker {
  loses = false;

  override publish(topic: string, messages: readonly BrokerMessage[]): void {
    if (!this.loses || !topic.startsWith("c:")) super.publish(topic, messages);
  }
}

/** Starts a server on such a broker, with ann, who writes in #general, and a listening socket. */
async function onLosingBus() {
  const broker = new LosingBroker();
  const open = new AsyncDisposableStack();
  const server = open.use(await startTestServer({}, { broker }));
  const ann = await server.user("ann");
  const socket = open.use(await TestSocket.open(server.url));
  await socket.command("channel:join", { channel_slug: "general" });
  const say = (content: string) => ann.post("/api/messages", { channel_slug: "general", content });
  return { broker, server, ann, socket, say, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

test("a gap that could not be read from the database is filled later, before newer events", async () => {
  await using world = await onLosingBus();
  const { broker, server, socket, say } = world;
  const heard = () =>
    socket.frames.filter(({ event }) => event === "message:new").map(({ data }) => data.chat_message.content);
  const { db } = server.ctx;
  const selectFrom = db.selectFrom.bind(db);
  let fails = 0;
  using _ = spyOn(db, "selectFrom").mockImplementation(((table: "channel_events") => {
    if (fails > 0 && table === "channel_events") throw new Error(`The database is away, ${fails--} times.`);
    return selectFrom(table);
  }) as typeof db.selectFrom);

  for (const [times, texts] of [
    [1, ["one", "two"]],
    [2, ["three", "four", "five"]],
  ] as const) {
    broker.loses = true;
    await say(texts[0]);
    broker.loses = false;
    fails = times;
    for (const text of texts.slice(1)) await say(text);
    await eventually("all is heard", () => heard().at(-1) === texts.at(-1));
  }
  expect(heard()).toEqual(["one", "two", "three", "four", "five"]);
});

test("a number without an event does not hold up the channel for ever", async () => {
  await using world = await onLosingBus();
  const { broker, server, ann, socket, say } = world;
  const { message_id: id } = (await say("one")).body;
  broker.loses = true;
  expect((await ann.put(`/api/messages/${id}`, { content: "changed" })).status).toBe(200);
  await server.ctx.db.deleteFrom("channel_events").where("message_id", "=", id).execute();
  broker.loses = false;
  await say("two");
  await eventually("it goes on", async () => {
    const { body } = await server.guest.get("/api/messages?channel_id=general&limit=1");
    return body.messages?.[0]?.content === "two";
  });
  await say("three");
  await socket.next(({ data }) => data.chat_message?.content === "three");
});

test("a resumed socket does not receive text that was deleted or changed", async () => {
  await using server = await startTestServer();
  const ann = await server.user("ann");
  using first = await TestSocket.open(server.url);
  const { data } = await first.command("channel:join", { channel_slug: "general" });
  const sent = await ann.post("/api/messages", { channel_slug: "general", content: "a secret" });
  await ann.put(`/api/messages/${sent.body.message_id}`, { content: "a better secret" });
  await ann.delete(`/api/messages/${sent.body.message_id}`);
  using second = await TestSocket.open(server.url);
  const resumed = await second.command("channel:join", {
    channel_slug: "general",
    after_seq: data.last_seq,
    epoch: data.epoch,
  });
  expect(resumed.data.recovered).toBe(true);
  const own = resumed.data.events.filter(({ event }: { event: string }) => event.startsWith("message:"));
  expect(own.map(({ event }: { event: string }) => event)).toEqual(["message:new", "message:update", "message:delete"]);
  expect(JSON.stringify(resumed.data.events)).not.toContain("secret");
});
