import { expect, test } from "bun:test";
import fc from "fast-check";
import { ChannelSubscription } from "../src/realtime/channel-subscription.ts";
import type { ChannelEvent } from "../src/realtime/subscription-types.ts";
import { ModelServer } from "./support/model-server.ts";

const ACTS = {
  message: (server: ModelServer) => server.write("message"),
  edit: (server: ModelServer) => server.write("edit"),
  lost: (server: ModelServer) => server.write("message", 0),
  double: (server: ModelServer) => server.write("message", 2),
  deliver: (server: ModelServer) => server.deliver(),
  answer: (server: ModelServer) => server.answer(),
  fail: (server: ModelServer) => server.failNextAnswer(),
  cut: (server: ModelServer) => server.cut(),
  connect: (server: ModelServer) => server.connect(),
};
type Act = keyof typeof ACTS;

const acts = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.constant<Act>("message") },
    { weight: 2, arbitrary: fc.constant<Act>("edit") },
    { weight: 5, arbitrary: fc.constant<Act>("deliver") },
    { weight: 4, arbitrary: fc.constant<Act>("answer") },
    { weight: 3, arbitrary: fc.constant<Act>("connect") },
    { weight: 2, arbitrary: fc.constantFrom<Act>("cut", "lost", "fail", "double") },
  ),
  { minLength: 5, maxLength: 60 },
);

/** Lets promises and the feed's short waits run. */
const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

async function settle(server: ModelServer): Promise<void> {
  server.connect();
  for (let quiet = 0; quiet < 3; quiet += server.isIdle ? 1 : 0) {
    server.deliver();
    server.answer();
    await turn();
  }
}

test("a subscription delivers events once and in order across any losses, delays and disconnects, except those that paging skips", async () => {
  const runs = fc.asyncProperty(fc.nat(4), fc.nat(5), acts, async (before, backlog, script) => {
    const server = new ModelServer();
    for (let n = 0; n < before; n++) server.write("message");
    const seen: ChannelEvent[] = [];
    const paged: { afterSeq: number; upToSeq: number }[] = [];
    const parts = { realtime: server, history: server.history, backoff: { firstMs: 0, maxMs: 0 } };
    const feed: ChannelSubscription = new ChannelSubscription(parts, {
      channel: 7,
      backlog,
      onEvent: (event) => seen.push(event),
      // It starts with a page of messages too.
      onJoined: ({ last_seq }) => feed.position ?? paged.push({ afterSeq: 0, upToSeq: last_seq }),
      onBackfill: (range) => paged.push(range),
    });
    for (const act of script) {
      ACTS[act](server);
      // Everything that the act triggers through promises happens before the next act.
      await turn();
    }
    await settle(server);
    // The next push reveals a lost one.
    server.write("message");
    await settle(server);

    const seqs = seen.map(({ data }) => data.seq);
    expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
    const first = seqs[0] ?? 0;
    const leftOut = server.log.filter(({ data: { seq } }) => seq >= first && !seqs.includes(seq));
    for (const { event, data } of leftOut) {
      expect(event).toBe("message:update");
      expect(paged.some(({ afterSeq, upToSeq }) => data.seq > afterSeq && data.seq <= upToSeq)).toBe(true);
    }
    expect(feed.position).toEqual({ seq: server.log.length, epoch: "one" });
    // It rejoins only for a reason.
    expect(server.joins).toBeLessThanOrEqual(1 + script.filter((act) => ["cut", "lost", "fail"].includes(act)).length);
    feed.close();
  });
  await fc.assert(runs, { numRuns: 150 });
});
