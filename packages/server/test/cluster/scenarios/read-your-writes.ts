import { expect } from "bun:test";
import { Crowd } from "../../support/cluster/crowd.ts";
import { Lab } from "../../support/cluster/lab.ts";
import { percentile, type Scenario } from "../../support/cluster/scenario.ts";
import { Client } from "../../support/servers/test-server.ts";

const PAGE = 200;

/** Guarantee P6: what one node has acknowledged is on the newest page of every other node. */
export const readYourWrites: Scenario<{ nodes: number; pairs: number; clients: number }> = {
  name: "read-your-writes",
  title: "the newest page of any node contains what another one has acknowledged",
  short: { nodes: 3, pairs: 300, clients: 6 },
  long: { nodes: 3, pairs: 100_000, clients: 12 },
  async run({ nodes, pairs, clients }, say) {
    await using lab = await Lab.open(nodes);
    const { channelId, owner, readers } = await Crowd.gather(lab, { writers: 0, readers: nodes });
    const on = (n: number) => new Client(lab.node(n).url, owner.credential);
    const waits: number[] = [];
    let done = 0;
    let misses = 0;
    const pair = async (n: number) => {
      const sent = await on(n).post("/api/messages", { channel_id: channelId, content: `pair ${n}` });
      expect(sent.status).toBe(201);
      const askedAt = performance.now();
      const page = await on(n + 1 + (n % (nodes - 1))).get(`/api/messages?channel_id=${channelId}&limit=${PAGE}`);
      waits.push(performance.now() - askedAt);
      const ids = page.body.messages.map(({ id }: { id: number }) => id);
      // Between the two, the others may have written more than a page.
      const isPast = page.body.last_seq >= sent.body.seq + PAGE;
      if (isPast || ids.includes(sent.body.message_id)) return;
      misses += 1;
      say(`message ${sent.body.seq} is not on a page up to ${page.body.last_seq}`);
    };
    const work = async () => {
      while (done < pairs) {
        await pair(done++);
        if (done % 10_000 === 0) say(`${done} pairs, ${misses} misses`);
      }
    };
    await Promise.all(Array.from({ length: clients }, work));
    for (const reader of readers) await reader.end();
    expect(misses).toBe(0);
    expect(readers.flatMap(({ problems }) => problems)).toEqual([]);
    return { pairs: done, misses, readMsP50: percentile(waits, 50), readMsP99: percentile(waits, 99) };
  },
};
