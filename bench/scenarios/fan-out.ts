import type { ServerKind } from "../servers/server.ts";
import type { Bench, Case, Measurement, Scenario } from "../suite.ts";
import { openSockets } from "./sockets.ts";

const CONTENT = "A hundred bytes of talk, the size of a usual line in a usual room, sent to all who are in it.".padEnd(
  100,
  ".",
);
const USERS = 512;
const SENDERS = 64;
const PROBES = 10;

function fanOutCase(sockets: number, inFlight: number): Case {
  return {
    name: `${sockets} sockets, ${inFlight} in flight`,
    unit: "deliveries/s",
    servers: ["parley", "express", "bare-bun"],
    measure: (bench, kind) => measure(bench, kind, sockets, inFlight),
  };
}

async function measure(bench: Bench, kind: ServerKind, sockets: number, inFlight: number): Promise<Measurement> {
  const server = await bench.server(kind);
  const room = "general";
  const cookies = await kind.sessions(server, USERS);
  await openSockets(bench, server, { count: sockets, cookies, senders: SENDERS, probes: PROBES });
  await bench.load.run({ kind: "join", room });
  const { warmupMs, runMs } = bench.settings;
  const result = await bench.load.run({
    kind: "fan-out",
    serverPid: server.pid,
    room,
    content: CONTENT,
    senders: SENDERS,
    inFlight,
    warmupMs,
    runMs,
  });
  await bench.load.run({ kind: "close" });
  return {
    value: result.deliveries / result.seconds,
    cpu: result.cpu,
    details: {
      messages_per_second: result.deliveries / result.seconds / sockets,
      server_cpu_us_each: (result.cpu.server * result.seconds * 1e6) / result.deliveries,
      bytes_each: result.bytes / result.deliveries,
    },
    faults: result.faults,
  };
}

/** Messages sent on sockets, stored, acknowledged and delivered to everyone in one room. */
export const fanOut: Scenario = {
  name: "fan-out",
  about:
    "one room, message:send of 100 bytes on sockets; a message is in flight until its sender has the ack and its own copy",
  cases: () => [fanOutCase(500, 1), fanOutCase(500, 64), fanOutCase(5000, 1), fanOutCase(5000, 64)],
};
