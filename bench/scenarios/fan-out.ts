import type { FanOutResult, ProtocolName } from "../load/jobs.ts";
import type { RunningServer, ServerKind, ServerName } from "../servers/server.ts";
import { type Bench, type Case, format, type Measurement, type Scenario } from "../suite.ts";
import { openSockets } from "./sockets.ts";

export const CONTENT =
  "A hundred bytes of talk, the size of a usual line in a usual room, sent to all who are in it.".padEnd(100, ".");
const USERS = 512;
export const SENDERS = 64;
const PROBES = 10;
/** Servers that speak Parley's own protocol, or one like it. */
export const OURS: ServerName[] = ["parley", "express", "bare-bun", "ws"];
/** Programs that nobody here wrote. */
export const OTHERS: ServerName[] = ["nats", "mosquitto", "ejabberd", "prosody", "inspircd"];

function fanOutCase(sockets: number, inFlight: number): Case {
  return {
    name: `${sockets} sockets, ${inFlight} in flight`,
    unit: "deliveries/s",
    servers: sockets === 500 ? [...OURS, ...OTHERS] : OURS,
    measure: (bench, kind) => measure(bench, kind, sockets, inFlight),
  };
}

async function measure(bench: Bench, kind: ServerKind, sockets: number, inFlight: number): Promise<Measurement> {
  const result = await fanOutOf(bench, kind, { sockets, inFlight, protocol: kind.protocol });
  return {
    value: result.deliveries / result.seconds,
    cpu: result.cpu,
    details: {
      messages_per_second: result.deliveries / result.seconds / sockets,
      server_cpu_us_each: cpuEach(result),
      bytes_each: result.bytes / result.deliveries,
    },
    faults: result.faults,
  };
}

/** Compares the two forms of frames. A round has a run of each, in turns, so that what disturbs a round disturbs both. */
function formsCase(sockets: number, inFlight: number): Case {
  let rounds = 0;
  return {
    name: `${sockets} sockets, ${inFlight} in flight, compact frames beside full ones`,
    unit: "× deliveries/s",
    servers: ["parley"],
    async measure(bench, kind) {
      const forms: ProtocolName[] = ["parley", "parley-compact"];
      const results = new Map<ProtocolName, FanOutResult>();
      for (const protocol of rounds++ % 2 === 0 ? forms : forms.toReversed()) {
        results.set(protocol, await fanOutOf(bench, kind, { sockets, inFlight, protocol }));
      }
      const [full, compact] = forms.map((form) => results.get(form)) as [FanOutResult, FanOutResult];
      const rates = [full, compact].map(({ deliveries, seconds }) => deliveries / seconds) as [number, number];
      // The best tenth of the rounds, which a busy machine disturbs least, is found in these lines.
      const each = [full, compact].map(cpuEach);
      console.error(
        `  full ${format(rates[0])}/s, compact ${format(rates[1])}/s; µs of CPU each: ${each.map(format).join(" and ")}`,
      );
      return {
        value: rates[1] / rates[0],
        cpu: compact.cpu,
        details: {
          full_deliveries_per_second: rates[0],
          compact_deliveries_per_second: rates[1],
          full_server_cpu_us_each: cpuEach(full),
          compact_server_cpu_us_each: cpuEach(compact),
          full_bytes_each: full.bytes / full.deliveries,
          compact_bytes_each: compact.bytes / compact.deliveries,
        },
        faults: [...full.faults, ...compact.faults],
      };
    },
  };
}

const cpuEach = ({ cpu, seconds, deliveries }: FanOutResult): number => (cpu.server * seconds * 1e6) / deliveries;

interface Room {
  sockets: number;
  protocol: ProtocolName;
}

/**
 * Runs `act` with the name of a room while this many sockets are in it. Programs whose rooms exist by being joined get a
 * new one each time: ejabberd keeps names taken in the old one for a while after their sockets are gone.
 */
export async function inRoom<T>(
  bench: Bench,
  kind: ServerKind,
  { sockets, protocol }: Room,
  act: (server: RunningServer, room: string) => Promise<T>,
): Promise<T> {
  const server = await bench.server(kind);
  const room = OTHERS.includes(kind.name) ? await kind.createRoom(server) : "general";
  const cookies = await kind.sessions(server, USERS);
  await openSockets(bench, server, { count: sockets, cookies, senders: SENDERS, probes: PROBES, protocol });
  await bench.load.run({ kind: "join", room });
  const result = await act(server, room);
  await bench.load.run({ kind: "close" });
  return result;
}

export function fanOutOf(bench: Bench, kind: ServerKind, room: Room & { inFlight: number }): Promise<FanOutResult> {
  const { warmupMs, runMs } = bench.settings;
  return inRoom(bench, kind, room, (server, name) =>
    bench.load.run({
      kind: "fan-out",
      serverPid: server.pid,
      room: name,
      content: CONTENT,
      senders: SENDERS,
      inFlight: room.inFlight,
      warmupMs,
      runMs,
    }),
  );
}

/** Messages sent on sockets, stored, acknowledged and delivered to everyone in one room. */
export const fanOut: Scenario = {
  name: "fan-out",
  about:
    "one room, message:send of 100 bytes on sockets; a message is in flight until its sender has the ack and its own copy",
  cases: () => [
    fanOutCase(500, 1),
    fanOutCase(500, 64),
    fanOutCase(5000, 1),
    fanOutCase(5000, 64),
    formsCase(500, 64),
    formsCase(2000, 64),
  ],
};
