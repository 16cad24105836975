import { expect } from "bun:test";
import { percentile, type Scenario } from "../../support/cluster/scenario.ts";
import { temporaryFolder } from "../../support/config.ts";
import { AckedMessages } from "../../support/faults/acked-messages.ts";
import { injecting, problemOfTracing } from "../../support/faults/disk-trace.ts";
import { ChildServer, freePort } from "../../support/servers/child-server.ts";
import { Client, eventually, signUp } from "../../support/servers/test-server.ts";

/** Syncs that pass at once before one that hangs. The first ones belong to the start. */
const BETWEEN = 40;
const WRITERS = 4;

/**
 * Guarantees P1 and P2: while the disk does not answer, a send is not acknowledged, and a page may wait, because it shows
 * nothing that is not on the disk. Nothing is lost, even by a kill at that moment.
 */
export const hangingDisk: Scenario<{ hangs: number; hangMs: number }> = {
  name: "hanging-disk",
  title: "while the disk hangs nothing is acknowledged, and a kill loses nothing that was",
  short: { hangs: 2, hangMs: 1_500 },
  long: { hangs: 50, hangMs: 5_000 },
  problem: problemOfTracing,
  async run({ hangs, hangMs }, say) {
    // Every forty-first sync takes this long.
    const around = injecting("fdatasync", `delay_enter=${hangMs * 1_000}:when=${BETWEEN}+${BETWEEN + 1}`);
    await using server = new ChildServer(temporaryFolder(), freePort(), {}, { around });
    await server.start();
    const writers = await Promise.all(Array.from({ length: WRITERS }, (_, n) => signUp(server.url, `writer${n}`)));
    const reader = writers[0] ?? new Client(server.url);
    const acked = new AckedMessages();
    const waits: number[] = [];
    const reads: number[] = [];
    let hung = 0;
    let round = 0;
    while (hung < hangs) {
      round += 1;
      let isGone = false;
      let answeredAt = performance.now();
      const writing = writers.map(async (client, writer) => {
        for (let n = 0; !isGone; n += 1) {
          const key = `${round}-${writer}-${n}`;
          const started = performance.now();
          const answer = await client
            .post("/api/messages", { channel_slug: "general", content: key, client_msg_id: key })
            .catch(() => null);
          if (answer === null) return;
          answeredAt = performance.now();
          expect(answer.status).toBe(201);
          acked.add(key, answer.body.seq);
          waits.push(performance.now() - started);
        }
      });
      // Nothing was answered for a third of the time that a sync hangs.
      await eventually("the disk hangs", async () => performance.now() - answeredAt > hangMs / 3, 60_000);
      const started = performance.now();
      const page = await reader.get("/api/messages?channel_id=general&limit=50");
      expect(page.status).toBe(200);
      reads.push(performance.now() - started);
      hung += 1;
      // Every second hang ends with a kill.
      if (round % 2 === 0) {
        isGone = true;
        await server.end("SIGKILL");
        await Promise.all(writing);
        await server.start();
      } else {
        const before = acked.count;
        await eventually("the disk goes on", async () => acked.count > before, 60_000);
        isGone = true;
        await Promise.all(writing);
      }
      if (hung % 10 === 0) say(`${hung} hangs, ${acked.count} messages`);
    }
    const counts = await acked.judge(new Client(server.url));
    return {
      hangs: hung,
      longestWaitMs: percentile(waits, 100),
      readMsP50: percentile(reads, 50),
      readMsMax: percentile(reads, 100),
      ...counts,
    };
  },
};
