import { expect, test } from "bun:test";
import { MemoryBroker } from "../src/realtime/broker.memory.ts";
import type { BusMessage } from "../src/realtime/broker.ts";
import { TestSocket } from "./support/socket.ts";
import { eventually, startTestServer } from "./support/test-server.ts";

/** A bus that loses, doubles and shuffles what channels say, as a real one may (promise P4, fault 9 of the reliability notes). */
class LyingBroker extends MemoryBroker {
  #state = 7;
  #held: [string, BusMessage[]][] = [];
  honest = false;

  override publish(topic: string, messages: readonly BusMessage[]): void {
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

test("a bus that loses, doubles and shuffles costs time, not a message", async () => {
  const broker = new LyingBroker();
  await using server = await startTestServer({}, { broker });
  const ann = await server.user("ann");
  using socket = await TestSocket.open(server.url);
  const joined = await socket.command("channel:join", { channel_slug: "general" });
  const start: number = joined.data.last_seq;
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
  const page = await server.guest.get("/api/messages?channel_id=general&limit=200");
  const stored = await server.guest.get(`/api/messages?channel_id=general&limit=200&around=${ids[250]}`);
  const byId = new Map(stored.body.messages.map((message: { id: number }) => [message.id, message]));
  for (const message of page.body.messages) if (byId.has(message.id)) expect(message).toEqual(byId.get(message.id));
  expect(page.body.messages.find(({ id }: { id: number }) => id === ids[285])).toMatchObject({
    is_deleted: true,
    content: "",
  });
});

test("a resumed socket is told no text that was deleted or edited away", async () => {
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
