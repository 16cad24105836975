import { existsSync, readFileSync } from "node:fs";

const RANGE = "/proc/sys/net/ipv4/ip_local_port_range";

/**
 * Prints advice if the load has too few ports for this many sockets of one server: once half of them are taken, looking
 * for a free one takes milliseconds, which would be counted as the server's time.
 */
export function adviseOnPorts(sockets: number): void {
  if (!existsSync(RANGE)) return;
  const [from = 0, to = 0] = readFileSync(RANGE, "utf8").trim().split(/\s+/).map(Number);
  if ((to - from) / 2 > sockets) return;
  console.error('  too few ports for the load; run: sysctl -w net.ipv4.ip_local_port_range="10000 65535"');
}
