import type { Case, Scenario } from "../suite.ts";
import { CONTENT, fanOutOf, inRoom, OTHERS, OURS, SENDERS } from "./fan-out.ts";

const SOCKETS = 500;

/** Half of what the server delivered a moment before with 64 messages in flight. */
const halfOfCapacity: Case = {
  name: `${SOCKETS} sockets, half of the capacity`,
  unit: "ms p99",
  servers: [...OURS, ...OTHERS],
  async measure(bench, kind) {
    const capacity = await fanOutOf(bench, kind, { sockets: SOCKETS, inFlight: 64, protocol: kind.protocol });
    const perSecond = capacity.deliveries / capacity.seconds / SOCKETS / 2;
    const { warmupMs, runMs } = bench.settings;
    const result = await inRoom(bench, kind, { sockets: SOCKETS, protocol: kind.protocol }, (_server, room) =>
      bench.load.run({
        kind: "open-loop",
        room,
        content: CONTENT,
        senders: SENDERS,
        perSecond,
        warmupMs,
        runMs,
      }),
    );
    return {
      value: result.p99Ms,
      details: { p50_ms: result.p50Ms, p99_9_ms: result.p999Ms, messages_per_second: perSecond },
      faults: [...capacity.faults, ...result.faults],
    };
  },
};

/** How long a message takes to each member of a room at a constant rate, from the moment when it was due. */
export const latency: Scenario = {
  name: "latency",
  about:
    "one room, messages of 100 bytes at a constant rate, half of what the server delivered with 64 in flight: from the moment when a message is due to its delivery",
  cases: () => [halfOfCapacity],
};
