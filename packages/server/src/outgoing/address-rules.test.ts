import { expect, test } from "bun:test";
import { isAllowed, isPublic, parseNetworks } from "./address-rules.ts";

test.each([
  "8.8.8.8",
  "1.1.1.1",
  "93.184.216.34",
  "172.15.255.255",
  "172.32.0.1",
  "192.169.0.1",
  "100.63.255.255",
  "100.128.0.1",
  "198.17.255.255",
  "223.255.255.255",
  "2606:4700:4700::1111",
  "2a00:1450:4001:81b::2003",
  "::ffff:8.8.8.8",
  "64:ff9b::808:808",
  "2002:808:808::1",
])("%s is on the public internet", (address) => {
  expect(isPublic(address)).toBeTrue();
});

test.each([
  ["0.0.0.0", "this network"],
  ["0.1.2.3", "this network"],
  ["10.0.0.1", "private"],
  ["100.64.0.1", "carrier-grade NAT"],
  ["100.127.255.255", "carrier-grade NAT"],
  ["127.0.0.1", "loopback"],
  ["127.255.255.254", "loopback"],
  ["169.254.169.254", "link-local: the metadata of clouds"],
  ["172.16.0.1", "private"],
  ["172.31.255.255", "private"],
  ["192.0.0.8", "protocol assignments"],
  ["192.0.2.1", "documentation"],
  ["192.31.196.1", "AS112"],
  ["192.52.193.1", "AMT"],
  ["192.88.99.1", "6to4 relays"],
  ["192.168.1.1", "private"],
  ["192.175.48.1", "AS112"],
  ["198.18.0.1", "benchmarks"],
  ["198.19.255.255", "benchmarks"],
  ["198.51.100.1", "documentation"],
  ["203.0.113.1", "documentation"],
  ["224.0.0.1", "multicast"],
  ["239.255.255.255", "multicast"],
  ["240.0.0.1", "reserved"],
  ["255.255.255.255", "broadcast"],
  ["::", "unspecified"],
  ["::1", "loopback"],
  ["::7f00:1", "IPv4-compatible"],
  ["::ffff:127.0.0.1", "IPv4-mapped loopback"],
  ["::ffff:a9fe:a9fe", "IPv4-mapped link-local"],
  ["::ffff:0:7f00:1", "IPv4-translated"],
  ["64:ff9b::7f00:1", "NAT64 of loopback"],
  ["64:ff9b::a00:1", "NAT64 of a private address"],
  ["64:ff9b:1::808:808", "local NAT64"],
  ["100::1", "discard"],
  ["2001::1", "Teredo of 0.0.0.0"],
  ["2001:0:808:808::f5ff:fffe", "Teredo of 10.0.0.1"],
  ["2001:0:a00:1::f7f7:f7f7", "Teredo by a server at 10.0.0.1"],
  ["2001:2::1", "benchmarks"],
  ["2001:10::1", "ORCHID"],
  ["2001:20::1", "ORCHIDv2"],
  ["2001:db8::1", "documentation"],
  ["2002:7f00:1::1", "6to4 of loopback"],
  ["2002:c0a8:101::1", "6to4 of a private address"],
  ["2620:4f:8000::1", "AS112"],
  ["3fff::1", "documentation"],
  ["5f00::1", "segment routing"],
  ["4000::1", "not assigned"],
  ["fc00::1", "unique local"],
  ["fd12:3456::1", "unique local"],
  ["fe80::1", "link-local"],
  ["fe80::1%eth0", "link-local with a zone"],
  ["fec0::1", "site-local"],
  ["ff02::1", "multicast"],
  ["not an address", "no address"],
  ["", "no address"],
])("%s (%s) is blocked", (address) => {
  expect(isPublic(address)).toBeFalse();
});

test("a setting allows single addresses and networks, also in their IPv4-mapped form", () => {
  const networks = parseNetworks(["10.1.0.0/16", "127.0.0.1", "fd00::/8"]);
  for (const allowed of ["10.1.2.3", "127.0.0.1", "::ffff:127.0.0.1", "fd00::1"]) {
    expect(isAllowed(allowed, networks)).toBeTrue();
  }
  for (const other of ["10.2.0.1", "127.0.0.2", "fe80::1", "64:ff9b::7f00:1"]) {
    expect(isAllowed(other, networks)).toBeFalse();
  }
  expect(isAllowed("127.0.0.1", [])).toBeFalse();
});
