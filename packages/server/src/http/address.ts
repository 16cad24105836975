import { BlockList, isIP, isIPv6 } from "node:net";
import type { Config } from "../config.ts";

/** Reads a client's address: the socket's, unless the peer is a trusted proxy, then the last hop none of ours reports. */
export function addressReader(config: Config): (request: Request, peer: string | undefined) => string {
  const trusted = new BlockList();
  for (const entry of config.trustedProxies) {
    const [net = "", bits] = entry.split("/");
    const family = isIPv6(net) ? "ipv6" : "ipv4";
    if (bits === undefined) trusted.addAddress(net, family);
    else trusted.addSubnet(net, Number(bits), family);
  }
  const isTrusted = (address: string) =>
    isIP(address) !== 0 && trusted.check(address, isIPv6(address) ? "ipv6" : "ipv4");
  const trustsNobody = config.trustedProxies.length === 0;
  return (request, peer) => {
    const direct = plainAddress(peer ?? "unknown");
    if (trustsNobody || !isTrusted(direct)) return direct;
    const hops = (request.headers.get("x-forwarded-for") ?? "").split(",").map((hop) => plainAddress(hop.trim()));
    for (const hop of hops.reverse()) {
      if (isIP(hop) === 0) break;
      if (!isTrusted(hop)) return hop;
    }
    return direct;
  };
}

/** `::ffff:1.2.3.4` is 1.2.3.4. */
function plainAddress(address: string): string {
  return address.startsWith("::ffff:") && address.includes(".") ? address.slice(7) : address;
}

/** What limits count: an IPv4 address, or the /64 of an IPv6 one, since a single subscriber owns that many. */
export function limitSubject(address: string): string {
  if (!address.includes(":")) return address;
  const [head = "", tail] = address.split("%", 1)[0]?.split("::") ?? [];
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const groups =
    tail === undefined
      ? left
      : [...left, ...Array<string>(Math.max(0, 8 - left.length - right.length)).fill("0"), ...right];
  return groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, "").toLowerCase())
    .join(":");
}
