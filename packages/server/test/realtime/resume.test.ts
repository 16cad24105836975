import { describe, expect, test } from "bun:test";
import { MemoryBroker } from "../../src/realtime/broker/broker.memory.ts";
import type { BrokerMessage } from "../../src/realtime/broker/broker.ts";
import type { Frame, LiveSocket } from "../support/servers/live-socket.ts";
import { newChannel, realtimeBench } from "../support/servers/realtime.ts";
import { eventually, startTestServer } from "../support/servers/test-server.ts";

const { server, open } = await realtimeBench();

describe("a resume", () => {
  const join = (socket: LiveSocket, id: number, after_seq: number, epoch = server.ctx.epoch) =>
    socket.ask("channel:join", { channel_id: id, after_seq, epoch });

  test("sends the same frames that were missed", async () => {
    const ada = await server.newUser();
    const { id } = await newChannel(ada);
    await using witness = await open();
    await witness.ask("channel:join", { channel_id: id });
    const { body } = await ada.post("/api/messages", { channel_id: id, content: "one ☕" });
    await ada.post(`/api/messages/${body.message_id}/pin`);
    await ada.post("/api/messages", { channel_id: id, content: "three" });
    await eventually("three events", () => witness.seqs.length === 3);
    await using socket = await open();
    const { data } = await join(socket, id, 1);
    expect(data).toMatchObject({ recovered: true, last_seq: 3 });
    expect(data.events).toEqual(witness.frames.filter((frame) => frame.data.seq > 1 && frame.event !== "ack"));
    expect((await join(socket, id, 3)).data).toMatchObject({ recovered: true, events: [] });
    await ada.post("/api/messages", { channel_id: id, content: "four" });
    await socket.next("message:new");
    expect(socket.seqs).toEqual([4]);
  });

  test("with another epoch, without one, or too far behind or ahead makes the client page the history", async () => {
    const ada = await server.newUser();
    const { id } = await newChannel(ada);
    await ada.post("/api/messages", { channel_id: id, content: "one" });
    await using socket = await open();
    for (const data of [
      { after_seq: 0, epoch: "another" },
      { after_seq: 0 },
      { after_seq: 2, epoch: server.ctx.epoch },
    ]) {
      const answer = await socket.ask("channel:join", { channel_id: id, ...data });
      expect(answer.data).toMatchObject({ success: true, recovered: false, last_seq: 1 });
      expect(Object.keys(answer.data)).not.toContain("events");
    }
    await ada.post("/api/messages", { channel_id: id, content: "two" });
    await socket.next("message:new");
    expect(socket.seqs).toEqual([2]);
  });

  test("with null works like an absent field: the client has nothing yet", async () => {
    const ada = await server.newUser();
    const { id } = await newChannel(ada);
    await using socket = await open();
    const answer = await socket.ask("channel:join", { channel_id: id, after_seq: null, epoch: null });
    expect(answer.data).toMatchObject({ success: true, last_seq: 0 });
    expect(Object.keys(answer.data)).not.toContain("recovered");
  });

  test("sends 1,000 missed events, but not 1,001", async () => {
    const ada = await server.newUser();
    const { id } = await newChannel(ada);
    await using sender = await open(ada);
    for (let from = 0; from < 1_001; from += 77) {
      for (let i = from; i < Math.min(from + 77, 1_001); i++)
        sender.tell("message:send", { channel_id: id, content: `${i}` });
      await eventually("the acks", () => sender.all("ack").length >= Math.min(from + 77, 1_001));
    }
    await using socket = await open();
    expect((await join(socket, id, 0)).data).toMatchObject({ recovered: false, last_seq: 1_001 });
    const { data } = await join(socket, id, 1);
    expect(data.recovered).toBe(true);
    expect(data.events.map((frame: Frame) => frame.data.seq)).toEqual(Array.from({ length: 1_000 }, (_, i) => i + 2));
  });
});

/** A broker as slow as a real one: what is published arrives turns later, in order. */
class SlowBroker extends MemoryBroker {
  readonly #arriving: [string, readonly BrokerMessage[]][] = [];

  override publish(topic: string, messages: readonly BrokerMessage[]): void {
    this.#arriving.push([topic, messages]);
    setTimeout(() => {
      const next = this.#arriving.shift();
      if (next !== undefined) super.publish(...next);
    }, 3);
  }
}

describe.each([
  ["in process", () => new MemoryBroker()],
  ["over a slow broker", () => new SlowBroker()],
])("the sequence of events %s", (_, makeBroker) => {
  test("is complete through any number of breaks while others write", async () => {
    // The writers write as fast as they can.
    await using server = await startTestServer({ rateLimits: "off" }, { broker: makeBroker() });
    const ada = await server.newUser();
    const { id } = await newChannel(ada);
    await using sender = await open(ada, server);
    await using other = await open(ada, server);
    let isDone = false;
    const write = async (socket: LiveSocket, pause: number) => {
      for (let i = 0; !isDone; i++) {
        socket.tell("message:send", { channel_id: id, content: `message ${i}` });
        if (i % pause === 0) await socket.ask("message:send", { channel_id: id, content: "waits" });
      }
    };
    const writers = [write(sender, 7), write(other, 1)];
    const seen: number[] = [];
    const resume = (socket: LiveSocket) =>
      socket.ask("channel:join", { channel_id: id, after_seq: seen.length, epoch: server.ctx.epoch });
    for (let round = 0; round < 40; round++) {
      await using socket = await open(null, server);
      const ack = await resume(socket);
      expect(socket.seqs.slice(0, before(socket, ack))).toEqual([]);
      await eventually("some live events", () => socket.seqs.length >= round % 4);
      // Joining a channel again, without and with the current position, must not break the sequence either.
      if (round % 5 === 0) await socket.ask("channel:join", { channel_id: id });
      seen.push(...seqsOf(ack), ...socket.seqs);
      if (round % 3 !== 0) continue;
      const known = socket.seqs.length;
      const again = await resume(socket);
      const late = socket.seqs.slice(known, before(socket, again));
      expect(seqsOf(again).slice(0, late.length)).toEqual(late);
      seen.push(...seqsOf(again), ...socket.seqs.slice(known + late.length));
    }
    isDone = true;
    await Promise.all(writers);
    expect(seen).toEqual(Array.from({ length: seen.length }, (_, i) => i + 1));
    expect(seen.length).toBeGreaterThan(40);
  });

  const seqsOf = (ack: Frame): number[] => ack.data.events.map((frame: Frame) => frame.data.seq);

  /** Returns how many durable events came before that frame. */
  const before = ({ frames }: LiveSocket, frame: Frame): number =>
    frames.slice(0, frames.indexOf(frame)).filter(({ event }) => event === "message:new").length;
});
