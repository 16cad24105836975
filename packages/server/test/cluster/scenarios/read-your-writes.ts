import { expect } from "bun:test";
import { Crowd } from "../../support/cluster/crowd.ts";
import { hashOf, messageOf } from "../../support/cluster/history-recorder.ts";
import { Lab } from "../../support/cluster/lab.ts";
import { percentile, type Scenario } from "../../support/cluster/scenario.ts";

const PAGE = 200;

/** Guarantee P6: what one node has acknowledged is on the newest page of every other node. */
export const readYourWrites: Scenario<{ nodes: number; pairs: number; clients: number }> = {
  name: "read-your-writes",
  title: "the newest page of any node contains what another one has acknowledged",
  short: { nodes: 3, pairs: 300, clients: 6 },
  long: { nodes: 3, pairs: 100_000, clients: 12 },
  async run({ nodes, pairs, clients }, say) {
    await using lab = await Lab.open(nodes);
    const crowd = await Crowd.gather(lab, { writers: 0, readers: nodes });
    const { channelId } = crowd;
    const waits: number[] = [];
    let done = 0;
    const pair = async (n: number) => {
      const [client, content] = [`pair ${n}`, `pair ${n}`];
      const at = { client, channel: channelId };
      const sending = lab.history.begin({ f: "send", node: lab.node(n).name, hash: hashOf(content), ...at });
      const sent = await crowd.ownerOn(n).post("/api/messages", { channel_id: channelId, content });
      expect(sent.status).toBe(201);
      lab.history.end(sending, "ok", { seq: sent.body.seq, id: sent.body.message_id });
      const other = n + 1 + (n % (nodes - 1));
      const asking = lab.history.begin({ f: "page", node: lab.node(other).name, ...at });
      const askedAt = performance.now();
      const { body } = await crowd.ownerOn(other).get(`/api/messages?channel_id=${channelId}&limit=${PAGE}`);
      waits.push(performance.now() - askedAt);
      lab.history.end(asking, "ok", { messages: body.messages.map(messageOf), last_seq: body.last_seq });
    };
    const work = async () => {
      while (done < pairs) {
        await pair(done++);
        if (done % 10_000 === 0) say(`${done} pairs`);
      }
    };
    await Promise.all(Array.from({ length: clients }, work));
    const verdict = await crowd.conclude();
    return { ...verdict, pairs: done, readMsP50: percentile(waits, 50), readMsP99: percentile(waits, 99) };
  },
};
