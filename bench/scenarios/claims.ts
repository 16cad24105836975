import { parley } from "../servers/parley.ts";
import { RunningServer, type ServerKind } from "../servers/server.ts";
import type { Bench, Measurement, Scenario } from "../suite.ts";
import { toMeasurement } from "./http-measurement.ts";

const ROOM = "general";
/** Enough users that none reaches the claim rate of the development profile, 3,000 a minute. */
const USERS = 1_000;
/** All users claim a packet at once. */
const CROWD = USERS;
/** The maximum of a packet. */
const SHARES = 200;
const TOTAL = "100000";
/** Above the rate of each server, so that no run exhausts its packets. */
const MAX_CLAIMS_PER_SECOND: Record<string, number> = { parley: 40_000, express: 6_000 };
/** The users pay for the packets. */
const INITIAL_POINTS = { PARLEY_INITIAL_POINTS: "1000000000" };

interface ClaimSetup {
  server: RunningServer;
  cookies: string[];
}

const setups = new Map<string, Promise<ClaimSetup>>();

async function open(bench: Bench, kind: ServerKind): Promise<ClaimSetup> {
  const withPoints =
    kind.name === "parley" ? { ...kind, env: (dir: string) => ({ ...parley.env(dir), ...INITIAL_POINTS }) } : kind;
  const server = bench.keep(await RunningServer.start(withPoints));
  return { server, cookies: await kind.sessions(server, USERS) };
}

async function newPacket({ server, cookies }: ClaimSetup, number: number): Promise<number> {
  const answer = await fetch(`${server.url}/api/red-packets`, {
    method: "POST",
    headers: { "content-type": "application/json", cookie: cookies[number % USERS] ?? "" },
    body: JSON.stringify({ channel_slug: ROOM, total_amount: TOTAL, count: SHARES, split_type: "random" }),
  });
  if (answer.status !== 201) throw new Error(`could not create a packet: ${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { packet_id: number }).packet_id;
}

/** Returns requests that claim one packet after the other, each share by a different user. */
function claimRequests({ server, cookies }: ClaimSetup, packets: readonly number[]): string[] {
  return packets.flatMap((packetId, at) =>
    Array.from({ length: SHARES }, (_, share) =>
      [
        `POST /api/red-packets/${packetId}/claim HTTP/1.1`,
        `Host: 127.0.0.1:${server.port}`,
        `Cookie: ${cookies[(at * SHARES + share) % USERS] ?? ""}`,
        "Content-Length: 0",
        "",
        "",
      ].join("\r\n"),
    ),
  );
}

async function countClaims({ server, cookies }: ClaimSetup, packets: readonly number[]): Promise<number> {
  let total = 0;
  for (const packetId of packets) {
    const answer = await fetch(`${server.url}/api/red-packets/${packetId}`, { headers: { cookie: cookies[0] ?? "" } });
    const { claims } = (await answer.json()) as { claims: { username: string }[] };
    if (new Set(claims.map(({ username }) => username)).size < claims.length)
      throw new Error("a user has claimed two shares");
    total += claims.length;
  }
  return total;
}

/** Every claim takes a different share, so the number of stored claims must equal the number of responses. */
async function measure(bench: Bench, kind: ServerKind, connections: number): Promise<Measurement> {
  const setup = await (setups.get(kind.name) ?? setups.set(kind.name, open(bench, kind)).get(kind.name));
  if (setup === undefined) throw new Error("the server did not start");
  const { warmupMs, runMs } = bench.settings;
  const maxClaims = ((MAX_CLAIMS_PER_SECOND[kind.name] ?? 0) * (warmupMs + runMs)) / 1_000;
  const packets: number[] = [];
  for (let n = 0; n < Math.ceil(maxClaims / SHARES); n += 1) packets.push(await newPacket(setup, n));
  const { server } = setup;
  const result = await bench.load.run({
    kind: "http",
    port: server.port,
    serverPid: server.pid,
    requests: claimRequests(setup, packets),
    connections,
    expectStatus: 200,
    warmupMs,
    runMs,
  });
  const measurement = toMeasurement(result);
  const stored = await countClaims(setup, packets);
  if (stored !== result.allAnswers) measurement.faults.push(`${result.allAnswers} answered, ${stored} stored`);
  return measurement;
}

/** Durable claims of red packets over HTTP, with ledger entries and an event each. */
export const claims: Scenario = {
  name: "claims",
  about: "POST /api/red-packets/:packet_id/claim, 1,000 users, packets of 200 shares, every claim a new one",
  cases: () =>
    [64, CROWD].map((connections) => ({
      name: `${connections} in flight`,
      unit: "claims/s",
      servers: ["parley", "express"],
      measure: (bench: Bench, kind: ServerKind) => measure(bench, kind, connections),
    })),
};
