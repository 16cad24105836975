import ipaddr from "ipaddr.js";

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Networks from which nothing is blocked, as `PARLEY_EGRESS_ALLOW` lists them. */
export type Networks = readonly (readonly [Address, number])[];

const GLOBAL_IPV6 = ipaddr.parseCIDR("2000::/3") as [ipaddr.IPv6, number];
const NAT64 = ipaddr.parseCIDR("64:ff9b::/96") as [ipaddr.IPv6, number];
const SIX_TO_FOUR = ipaddr.parseCIDR("2002::/16") as [ipaddr.IPv6, number];
const TEREDO = ipaddr.parseCIDR("2001::/32") as [ipaddr.IPv6, number];

/** Networks that are not for hosts of the internet, beside those that the library knows (IANA's special registries). */
const SPECIAL = [
  "192.0.0.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "240.0.0.0/4",
  "2001::/23",
  "2001:db8::/32",
  "2620:4f:8000::/48",
  "3fff::/20",
].map((network) => ipaddr.parseCIDR(network));

/** Parses networks and addresses. They are checked settings; an unreadable one is left out. */
export function parseNetworks(texts: readonly string[]): Networks {
  return texts.flatMap((text) => {
    const whole = text.includes("/") ? text : `${text}/${text.includes(":") ? 128 : 32}`;
    return ipaddr.isValidCIDR(whole) ? [ipaddr.parseCIDR(whole)] : [];
  });
}

/** True if a setting allows this address, also in its IPv4-mapped form. */
export function isAllowed(text: string, networks: Networks): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  return networks.some(([network, bits]) => isIn(address, network, bits));
}

/** Returns the network that one holder of addresses usually has: the /24 of an IPv4 address, the /48 of an IPv6 one. */
export function addressBlock(text: string): string {
  if (!ipaddr.isValid(text)) return text;
  const address = ipaddr.process(text);
  const bytes = address.toByteArray().slice(0, address instanceof ipaddr.IPv4 ? 3 : 6);
  return `${address.kind()} ${Buffer.from(bytes).toString("hex")}`;
}

/**
 * True if the address is of a host on the public internet (global unicast). Of addresses that contain an IPv4 address
 * (mapped, NAT64, 6to4, Teredo), that one is checked: the network would deliver there.
 */
export function isPublic(text: string): boolean {
  // A zone (fe80::1%eth0) names an interface of this machine.
  if (!ipaddr.isValid(text) || text.includes("%")) return false;
  const embedded = embeddedIn(ipaddr.process(text));
  return embedded.every(isGlobalUnicast);
}

function isGlobalUnicast(address: Address): boolean {
  if (SPECIAL.some(([network, bits]) => isIn(address, network, bits))) return false;
  if (address instanceof ipaddr.IPv6 && !isIn(address, ...GLOBAL_IPV6)) return false;
  return address.range() === "unicast";
}

/** Returns the addresses that a packet to this one may reach: itself, or the IPv4 addresses in it. */
function embeddedIn(address: Address): Address[] {
  if (!(address instanceof ipaddr.IPv6)) return [address];
  const bytes = address.toByteArray();
  const ipv4 = (from: number, mask = 0) => new ipaddr.IPv4(bytes.slice(from, from + 4).map((byte) => byte ^ mask));
  if (isIn(address, ...NAT64)) return [ipv4(12)];
  if (isIn(address, ...SIX_TO_FOUR)) return [ipv4(2)];
  // The server, and the client, whose bits are inverted.
  if (isIn(address, ...TEREDO)) return [ipv4(4), ipv4(12, 0xff)];
  return [address];
}

function isIn(address: Address, network: Address, bits: number): boolean {
  if (address instanceof ipaddr.IPv4) return network instanceof ipaddr.IPv4 && address.match(network, bits);
  return network instanceof ipaddr.IPv6 && address.match(network, bits);
}
