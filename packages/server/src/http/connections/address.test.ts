import { describe, expect, test } from "bun:test";
import { testConfig } from "../../../test/support/config.ts";
import type { Config } from "../../config/config.ts";
import type { AppContext } from "../../context.ts";
import { createLog } from "../../logging/log.ts";
import { addressReader, limitSubject } from "./address.ts";

/** Reads addresses with these settings; `lines` is the log. */
function reader(config: Partial<Config>) {
  const lines: { msg: string; peer?: string }[] = [];
  const log = createLog({ level: "warn", readable: false, write: (line) => lines.push(JSON.parse(line)) });
  const ctx = { config: testConfig(config), log, slots: new Map() } as unknown as AppContext;
  Object.assign(ctx, { root: ctx });
  const read = addressReader(ctx);
  const second = addressReader(ctx);
  const from = (peer: string, forwarded?: string, by = read) =>
    by(
      new Request("http://localhost/", forwarded === undefined ? {} : { headers: { "x-forwarded-for": forwarded } }),
      peer,
    );
  return { from, second, lines };
}

describe("the address of a client", () => {
  test.each([
    ["198.51.100.7", undefined, "198.51.100.7"],
    ["198.51.100.7", "203.0.113.5", "198.51.100.7"],
    ["127.0.0.1", "203.0.113.5", "203.0.113.5"],
    ["::ffff:127.0.0.1", "203.0.113.5", "203.0.113.5"],
    ["127.0.0.1", "192.0.2.66, 203.0.113.5, 10.1.2.3", "203.0.113.5"],
    ["127.0.0.1", "192.0.2.66, unknown", "127.0.0.1"],
    ["127.0.0.1", undefined, "127.0.0.1"],
  ])("of a connection from %s with X-Forwarded-For %p is %s", (peer, forwarded, address) => {
    expect(reader({ trustedProxies: ["127.0.0.1", "10.0.0.0/8"] }).from(peer, forwarded)).toBe(address);
  });
});

describe("X-Forwarded-For from an address that no setting names", () => {
  test("leaves one warning, for all requests", () => {
    const { from, second, lines } = reader({});
    from("172.17.0.1");
    expect(lines).toEqual([]);
    expect(from("172.17.0.1", "203.0.113.5")).toBe("172.17.0.1");
    from("172.17.0.1", "203.0.113.6");
    from("172.17.0.1", "203.0.113.7", second);
    expect(lines).toEqual([expect.objectContaining({ peer: "172.17.0.1" })]);
    expect(lines[0]?.msg).toContain("PARLEY_TRUSTED_PROXIES");
  });

  test('leaves a warning if other proxies are named, and none if the setting is "none"', () => {
    const misnamed = reader({ trustedProxies: ["10.0.0.7"], proxiesDeclared: true });
    misnamed.from("172.17.0.1", "203.0.113.5");
    expect(misnamed.lines).toHaveLength(1);
    const none = reader({ proxiesDeclared: true });
    none.from("172.17.0.1", "203.0.113.5");
    expect(none.lines).toEqual([]);
  });
});

describe("what limits count", () => {
  test.each([
    ["198.51.100.7", "198.51.100.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:0DB8:0001:0002::1", "2001:db8:1:2"],
    ["2001:db8::1", "2001:db8:0:0"],
    ["2001:db8:1:2:3::", "2001:db8:1:2"],
    ["::1", "0:0:0:0"],
    ["fe80::1%eth0", "fe80:0:0:0"],
  ])("of %s is %s", (address, subject) => expect(limitSubject(address)).toBe(subject));
});
