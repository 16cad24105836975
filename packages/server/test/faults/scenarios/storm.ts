import { expect } from "bun:test";
import { percentile, type Scenario } from "../../support/cluster/scenario.ts";
import { temporaryFolder } from "../../support/config.ts";
import { ChildServer, freePort } from "../../support/servers/child-server.ts";
import { TestSocket } from "../../support/servers/socket.ts";
import { signUp } from "../../support/servers/test-server.ts";

/** Guarantee P5: when all clients return at once after a crash, each gets what it missed, once and in order. */
export const storm: Scenario<{ sockets: number; rounds: number; messages: number }> = {
  name: "storm",
  title: "all clients that return at once after a kill get exactly what they missed",
  short: { sockets: 60, rounds: 2, messages: 10 },
  long: { sockets: 1_000, rounds: 10, messages: 50 },
  async run({ sockets, rounds, messages }, say) {
    // All sockets of the test have one address.
    const env = { PARLEY_SOCKETS_PER_ADDRESS: "20000", PARLEY_CONNECTIONS_PER_ADDRESS: "20000" };
    await using server = new ChildServer(temporaryFolder(), freePort(), env);
    await server.start();
    const ann = await signUp(server.url, "ann");
    const returns: number[] = [];
    const places: { seq: number; epoch: string }[] = [];
    let missed = 0;
    for (let round = 0; round <= rounds; round += 1) {
      const started = performance.now();
      const open = await Promise.all(
        Array.from({ length: sockets }, async (_, at) => {
          const socket = await TestSocket.open(server.url);
          const place = places[at];
          const resume = place === undefined ? {} : { after_seq: place.seq, epoch: place.epoch };
          const { event, data } = await socket.command("channel:join", { channel_slug: "general", ...resume });
          expect(event).toBe("ack");
          if (place !== undefined) {
            returns.push(performance.now() - started);
            expect(data.recovered).toBe(true);
            const seqs = data.events.map(({ data }: { data: { seq: number } }) => data.seq);
            expect(seqs).toEqual(Array.from({ length: messages }, (_, n) => place.seq + 1 + n));
            missed += seqs.length;
          }
          places[at] = { seq: data.last_seq, epoch: data.epoch };
          return socket;
        }),
      );
      say(`round ${round}: ${sockets} sockets back after ${Math.round(performance.now() - started)} ms`);
      await server.end("SIGKILL");
      for (const socket of open) socket.terminate();
      await server.start();
      for (let n = 0; n < messages && round < rounds; n += 1) {
        const { status } = await ann.post("/api/messages", { channel_slug: "general", content: `${round} ${n}` });
        expect(status).toBe(201);
      }
    }
    expect(missed).toBe(sockets * rounds * messages);
    return { sockets, rounds, missed, returnMsP50: percentile(returns, 50), returnMsP99: percentile(returns, 99) };
  },
};
