/**
 * Measures the CPU time that a node spends on the bus, per publication with one message: `bun bench/bus.ts [seconds]`.
 * Starts a redis-server of its own. Each figure is of this process alone; Redis' own is from its `INFO cpu`.
 */

import type { BrokerMessage } from "../packages/server/src/realtime/broker/broker.ts";
import { packParcels, parcelStart, unpackParcel } from "../packages/server/src/realtime/broker/parcel.ts";
import { frameOf } from "../packages/server/src/realtime/frame-text.ts";
import { openBench } from "../packages/server/test/support/cluster/redis-bench.ts";

const seconds = Number(process.argv[2] ?? 1);
const json = JSON.stringify({ id: 1, channel_slug: "general", content: "x".repeat(60), rest: "y".repeat(350) });
const message = (seq: number): BrokerMessage => ({
  event: "message:new",
  frame: frameOf("message:new", `{"channel_id":1,"seq":${seq},"chat_message":${json}}`),
  seq,
  message: { id: seq, seq, json },
});

/** Returns the CPU time of an act in microseconds each; one that is asynchronous comes in batches. */
async function cost(batch: number, act: (from: number) => unknown): Promise<number> {
  for (let n = 0; n < 20; n++) await act(n * batch);
  let count = 0;
  const begin = process.cpuUsage();
  for (const end = performance.now() + seconds * 1_000; performance.now() < end; count += batch) await act(count);
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / count;
}

const BATCH = 1_000;
const batch = (act: (n: number) => unknown) => (from: number) => {
  for (let n = from; n < from + BATCH; n++) act(n);
};
const say = (name: string, micros: number) => console.log(`${name.padEnd(52)} ${micros.toFixed(2)} µs`);

const start = parcelStart("0123456789abcdef");
const [payload = ""] = packParcels(start, [message(1)]);
console.log(`a publication has ${payload.length} bytes, its frame alone ${message(1).frame.length}`);
say(
  "pack (with building the frame)",
  await cost(
    BATCH,
    batch((n) => packParcels(start, [message(n)])),
  ),
);
say(
  "build the frame",
  await cost(
    BATCH,
    batch((n) => message(n).frame.length),
  ),
);
say(
  "unpack",
  await cost(
    BATCH,
    batch(() => unpackParcel(payload)),
  ),
);

await using bench = await openBench(2, { isDirect: true });
const [first, second] = bench.pair;
/** Publishes a batch and waits until Redis has passed it on. */
const publish = async (from: number) => {
  batch((n) => first.publish("c:1", [message(n)]))(from);
  await bench.settle();
};
const redisCpu = async () => {
  const info = String(await bench.redis.command("INFO", "cpu"));
  return (Number(/used_cpu_user:(.*)/.exec(info)?.[1]) + Number(/used_cpu_sys:(.*)/.exec(info)?.[1])) * 1e6;
};
const deaf = await cost(BATCH, publish);
say("publish, nobody subscribed", deaf);
let heard = 0;
second.onMessages((_, messages) => {
  heard += messages.length;
});
await second.subscribe("c:1");
const before = await redisCpu();
const both = await cost(BATCH, publish);
say("publish, and receive on another node", both);
say("receive (the difference)", both - deaf);
say("Redis, per publication to one node", ((await redisCpu()) - before) / heard);
