import { describe, expect, test } from "bun:test";
import { stillClock } from "../support/clock.ts";
import type { Frame } from "../support/servers/live-socket.ts";
import { RawSocket } from "../support/servers/raw-socket.ts";
import { newChannel, realtimeBench } from "../support/servers/realtime.ts";
import { eventually, startTestServer, type TestServer } from "../support/servers/test-server.ts";

const { open } = await realtimeBench();

describe("the heartbeat", () => {
  test("pings after 25 s, and cuts off clients that have not answered after 60 s, in busy channels too", async () => {
    const clock = stillClock();
    await using still = await startTestServer({}, { clock });
    const ada = await still.newUser();
    await using alive = await open(ada, still);
    await alive.ask("channel:join", { channel_slug: "general" });
    using dead = await RawSocket.open(still.url);
    dead.send(JSON.stringify({ event: "channel:join", data: { channel_slug: "general" } }));
    await eventually("its ack", () => dead.frames.length >= 2);
    clock.advance(25_000);
    await eventually("a ping", () => dead.frames.some(({ opcode }) => opcode === 9));
    const pings = () => dead.frames.filter(({ opcode }) => opcode === 9).length;
    for (let at = 25; at < 64; at += 13) {
      clock.advance(13_000);
      await alive.ask("message:send", { channel_slug: "general", content: "life goes on" });
      // Longer gaps between two beats count as a pause of the process.
      if (at === 38) await eventually("another ping", () => pings() === 2);
    }
    await eventually("the end of the dead", () => dead.isClosed, 10_000);
    await alive.settle();
    expect(still.ctx.presence.guestCount(1)).toBe(0);
  });
});

describe("a pause of the process", () => {
  test("cuts off no client, also none that connects before the next beat", async () => {
    const clock = stillClock();
    await using still = await startTestServer({}, { clock });
    using before = await RawSocket.open(still.url);
    clock.advance(3_600_000);
    using after = await RawSocket.open(still.url);
    await eventually("both are ready", () => before.frames.length > 0 && after.frames.length > 0);
    const isPinged = ({ frames }: RawSocket) => frames.some(({ opcode }) => opcode === 9);
    await eventually("pings, which come many beats later", () => {
      clock.advance(1_000);
      return isPinged(before) && isPinged(after);
    });
    expect([before.isClosed, after.isClosed]).toEqual([false, false]);
  });
});

describe("a slow reader", () => {
  test("hurts nobody: one that keeps reading is closed with 4409 and has lost nothing before, and one that does not is cut off", async () => {
    const clock = stillClock();
    await using still = await startTestServer({}, { clock });
    const ada = await still.newUser();
    const { id } = await newChannel(ada);
    await using reader = await open(null, still);
    await reader.ask("channel:join", { channel_id: id });
    using stopped = await RawSocket.open(still.url);
    using slow = await RawSocket.open(still.url);
    for (const raw of [stopped, slow]) {
      raw.send(JSON.stringify({ event: "channel:join", data: { channel_id: id } }));
      await eventually("its ack", () => raw.frames.length >= 2);
      raw.tcp.pause();
    }
    await using sender = await open(ada, still);
    const content = "x".repeat(3_900);
    let sent = 0;
    while (still.ctx.presence.guestCount(id) > 1) {
      for (let i = 0; i < 4; i++) sender.tell("message:send", { channel_id: id, content });
      sent += 4;
      await eventually("the acks", () => sender.all("ack").length === sent);
      if (sent > 5_000) throw new Error("nobody was found to be slow");
    }
    expect(await sockets(still)).toBe(4);
    slow.tcp.resume();
    await eventually("the slow one's end", () => slow.isClosed);
    const last = slow.frames.at(-1);
    expect([last?.opcode, last?.payload.readUInt16BE(0)]).toEqual([8, 4409]);
    const frames = slow.frames
      .filter(({ opcode }) => opcode === 1)
      .map(({ payload }) => JSON.parse(payload.toString()));
    const heard = frames.filter(({ event }: Frame) => event === "message:new").map(({ data }: Frame) => data.seq);
    expect(heard).toEqual(Array.from({ length: heard.length }, (_, i) => i + 1));
    expect(heard.length).toBeGreaterThan(256);
    // The client may see its own end before the server has processed the answer to it.
    await eventually("the slow one is gone", async () => (await sockets(still)) === 3);
    clock.advance(8_000);
    await eventually("the stopped one's end", async () => (await sockets(still)) === 2);
    await reader.settle();
    expect(reader.seqs).toEqual(Array.from({ length: sent }, (_, i) => i + 1));
  });

  /** Returns the open sockets, as the metrics count them. */
  async function sockets({ ctx }: TestServer): Promise<number> {
    return Number((await ctx.metrics.render()).match(/^parley_sockets_open (\d+)/m)?.[1]);
  }
});
