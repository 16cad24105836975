import { expect } from "bun:test";
import { percentile, type Scenario } from "../../support/cluster/scenario.ts";
import { temporaryFolder } from "../../support/config.ts";
import { ChildServer, freePort } from "../../support/servers/child-server.ts";
import { RawSocket } from "../../support/servers/raw-socket.ts";
import { TestSocket } from "../../support/servers/socket.ts";
import { Client, eventually, signUp } from "../../support/servers/test-server.ts";

const CONTENT = "x".repeat(3_900);
/** The kernel keeps several megabytes for a socket that is not read. */
const MESSAGES_MAX = 20_000;

/** Guarantee P10: sockets that are not read are closed, and those beside them get every message, once and in order. */
export const slowReaders: Scenario<{ rounds: number; slow: number; readers: number }> = {
  name: "slow-readers",
  title: "sockets that are not read are closed, and their neighbors miss nothing",
  short: { rounds: 1, slow: 4, readers: 4 },
  long: { rounds: 20, slow: 50, readers: 20 },
  async run({ rounds, slow, readers }, say) {
    const env = {
      PARLEY_RATE_LIMITS: "off",
      PARLEY_SOCKETS_PER_ADDRESS: "1000",
      PARLEY_CONNECTIONS_PER_ADDRESS: "1000",
    };
    await using server = new ChildServer(temporaryFolder(), freePort(), env);
    await server.start();
    const ann = await signUp(server.url, "ann");
    const waits: number[] = [];
    let [sent, closed] = [0, 0];
    for (let round = 0; round < rounds; round += 1) {
      const neighbors = await Promise.all(Array.from({ length: readers }, () => joined(server.url)));
      const asleep = await Promise.all(Array.from({ length: slow }, () => neverReading(server.url)));
      closed += slow;
      let last = 0;
      while ((await closedByNow(server.url)) < closed) {
        for (let n = 0; n < 50; n += 1) {
          const started = performance.now();
          const { status, body } = await ann.post("/api/messages", { channel_slug: "general", content: CONTENT });
          expect(status).toBe(201);
          waits.push(performance.now() - started);
          last = body.seq;
        }
        sent += 50;
        if (sent > MESSAGES_MAX * (round + 1)) throw new Error(`${await closedByNow(server.url)} sockets were closed.`);
      }
      for (const { socket, from } of neighbors) {
        await socket.next(({ event, data }) => event === "message:new" && data.seq === last);
        const seqs = socket.frames.flatMap(({ event, data }) => (event === "message:new" ? [data.seq] : []));
        expect(seqs).toEqual(Array.from({ length: last - from }, (_, n) => from + 1 + n));
        socket.terminate();
      }
      for (const raw of asleep) raw[Symbol.dispose]();
      say(`${round + 1} rounds, ${sent} messages, ${closed} slow sockets closed`);
    }
    return {
      rounds,
      slow,
      readers,
      messages: sent,
      closed,
      sendMsP50: percentile(waits, 50),
      sendMsP99: percentile(waits, 99),
    };
  },
};

async function joined(url: string): Promise<{ socket: TestSocket; from: number }> {
  const socket = await TestSocket.open(url);
  const { data } = await socket.command("channel:join", { channel_slug: "general" });
  return { socket, from: data.last_seq };
}

/** Returns a socket in #general that has stopped reading. */
async function neverReading(url: string): Promise<RawSocket> {
  const raw = await RawSocket.open(url);
  raw.send(JSON.stringify({ event: "channel:join", data: { channel_slug: "general" } }));
  await eventually("the ack of the join", () => raw.frames.length >= 2);
  raw.tcp.pause();
  return raw;
}

async function closedByNow(url: string): Promise<number> {
  const { body } = await new Client(url).get("/metrics");
  return Number(/^parley_slow_readers_closed_total (\d+)$/m.exec(String(body))?.[1]);
}
