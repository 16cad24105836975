import type { Case, Scenario } from "../suite.ts";

const TIMEOUT_MS = 60_000;

function stormCase(joins: number): Case {
  return {
    name: `${joins} joins`,
    unit: "ms to agreement",
    servers: ["parley", "express"],
    maxRounds: 3,
    async measure(bench, kind) {
      const server = await bench.server(kind);
      const cookies = await kind.sessions(server, joins);
      const room = await kind.createRoom(server);
      const { load } = bench;
      await load.run({ kind: "open", port: server.port, protocol: kind.protocol, cookies, concurrency: 64, probes: 0 });
      const result = await load.run({ kind: "join-storm", serverPid: server.pid, room, timeoutMs: TIMEOUT_MS });
      await load.run({ kind: "close" });
      return {
        value: result.agreementMs,
        details: {
          all_answered_ms: result.joinedMs,
          bytes: result.bytes,
          bytes_per_join: result.bytes / joins,
          server_cpu_seconds: result.serverCpuSeconds,
        },
        faults: result.faults,
      };
    },
  };
}

/**
 * Different users join one room at once; agreement is reached when every socket has received the full number online.
 */
export const joinStorm: Scenario = {
  name: "join-storm",
  about: "all users join one room at once; time and bytes until every socket has the full number online",
  cases: () => [stormCase(500), stormCase(1000)],
};
