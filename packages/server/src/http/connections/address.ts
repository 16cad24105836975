import { BlockList, isIP, isIPv6 } from "node:net";
import type { Config } from "../../config/config.ts";
import { type AppContext, perServer } from "../../context.ts";

/** Returns a predicate for the addresses of trusted proxies. */
export function trustedProxies(config: Pick<Config, "trustedProxies">): (address: string) => boolean {
  const trusted = new BlockList();
  for (const entry of config.trustedProxies) {
    const [net = "", bits] = entry.split("/");
    const family = isIPv6(net) ? "ipv6" : "ipv4";
    if (bits === undefined) trusted.addAddress(net, family);
    else trusted.addSubnet(net, Number(bits), family);
  }
  return (address) => isIP(address) !== 0 && trusted.check(address, isIPv6(address) ? "ipv6" : "ipv4");
}

/**
 * Returns a reader of client addresses: the socket's address or, behind a trusted proxy, the last hop that is not one.
 * Behind a proxy missing from the settings, all clients share its address; the first request it forwards logs a
 * warning.
 */
export function addressReader(ctx: AppContext): (request: Request, peer: string | undefined) => string {
  const { config } = ctx;
  const isTrusted = trustedProxies(config);
  const trustsNobody = config.trustedProxies.length === 0;
  const isSilent = trustsNobody && config.proxiesDeclared;
  return (request, peer) => {
    const direct = plainAddress(peer ?? "unknown");
    if (trustsNobody || !isTrusted(direct)) {
      if (!isSilent) lookForProxy(ctx, request, direct);
      return direct;
    }
    const hops = (request.headers.get("x-forwarded-for") ?? "").split(",").map((hop) => plainAddress(hop.trim()));
    for (const hop of hops.reverse()) {
      if (isIP(hop) === 0) break;
      if (!isTrusted(hop)) return hop;
    }
    return direct;
  };
}

const proxyWatch = perServer(() => ({ hasWarned: false }));

/** Logs one warning. A client can send this header too, so the warning only asks the operator to check. */
function lookForProxy(ctx: AppContext, request: Request, peer: string): void {
  const watch = proxyWatch(ctx);
  if (watch.hasWarned || !request.headers.has("x-forwarded-for")) return;
  watch.hasWarned = true;
  ctx.log.warn(
    { peer },
    "a request has X-Forwarded-For, but PARLEY_TRUSTED_PROXIES does not name its sender; if the sender is your proxy, add its address, or all its clients share one address and its limits",
  );
}

/** Returns `1.2.3.4` for `::ffff:1.2.3.4`. */
function plainAddress(address: string): string {
  return address.startsWith("::ffff:") && address.includes(".") ? address.slice(7) : address;
}

/**
 * Returns the subject that limits count: an IPv4 address, or the /64 of an IPv6 one, because one subscriber owns a
 * whole /64.
 */
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
