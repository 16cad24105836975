import type { ProtocolName } from "../load/jobs.ts";
import type { RunningServer } from "../servers/server.ts";
import type { Bench } from "../suite.ts";

/** Parley accepts ten sockets per user; this leaves a margin of one. */
const SOCKETS_PER_USER = 9;

export interface SocketPlan {
  count: number;
  cookies: string[];
  /** The number of sockets, from the first, that belong to logged-in users, each to a different one. */
  senders?: number;
  probes?: number;
  /** Default: the server's. */
  protocol?: ProtocolName;
}

/**
 * Opens sockets. Every fourth is a guest; the others belong to logged-in users as long as there are enough. More guests
 * would reach the anonymous rate limit, because all of them have one address here.
 */
export async function openSockets(bench: Bench, server: RunningServer, plan: SocketPlan): Promise<void> {
  const { count, cookies, senders = 0, probes = 0, protocol = server.kind.protocol } = plan;
  const places = cookies.length * SOCKETS_PER_USER;
  let taken = 0;
  const all = Array.from({ length: count }, (_, i) => {
    if ((i >= senders && i % 4 === 3) || taken >= places) return null;
    taken += 1;
    return cookies[(taken - 1) % cookies.length] ?? null;
  });
  await bench.load.run({ kind: "open", port: server.port, protocol, cookies: all, concurrency: 64, probes });
}
