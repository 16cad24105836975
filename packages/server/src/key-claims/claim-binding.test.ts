import { expect, test } from "bun:test";
import { testConfig } from "../../test/support/config.ts";
import { claimCookie, hashToken, isHolder, networkOf, readClaimCookie } from "./claim-binding.ts";

const TOKEN = "x".repeat(43);
const OTHER = "y".repeat(43);

test.each([
  ["192.0.2.77", "192.0.2"],
  ["192.0.3.77", "192.0.3"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
  ["2001:db8:1:2::9", "2001:db8:1:2"],
  ["::1", "0:0:0:0"],
  ["unknown", "unknown"],
])("%s is of the network %s", (address, network) => expect(networkOf(address)).toBe(network));

const holder = { token_hash: hashToken(TOKEN), network: "192.0.2" };

test.each([
  [TOKEN, "198.51.100.1", true, true],
  [null, "192.0.2.9", true, false],
  [null, "192.0.3.9", false, false],
  [OTHER, "192.0.2.9", true, false],
  [OTHER, "198.51.100.1", false, false],
])("checks token %p from %s: %p, in strict mode %p", (token, address, lax, strict) => {
  const tokens = token === null ? [] : [token];
  expect(isHolder(holder, { tokens, address }, false)).toBe(lax);
  expect(isHolder(holder, { tokens, address }, true)).toBe(strict);
});

test("one right token among others is enough", () => {
  expect(isHolder(holder, { tokens: [OTHER, TOKEN], address: "198.51.100.1" }, true)).toBe(true);
});

test("an unknown code belongs to nobody", () => {
  expect(isHolder({ token_hash: null, network: null }, { tokens: [TOKEN], address: "192.0.2.9" }, false)).toBe(false);
});

test("the claim cookie can be read back, and is bound to the host over https", () => {
  const config = testConfig();
  expect(claimCookie(config, TOKEN, 1800)).toBe(`parley_claim=${TOKEN}; Path=/; Max-Age=1800; HttpOnly; SameSite=Lax`);
  expect(readClaimCookie(config, `a=b; parley_claim=${TOKEN}; c=d`)).toBe(TOKEN);
  const secure = testConfig({ secureCookies: true });
  expect(claimCookie(secure, TOKEN, 0)).toBe(
    `__Host-parley_claim=${TOKEN}; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure`,
  );
  expect(readClaimCookie(secure, `parley_claim=${TOKEN}`)).toBeNull();
  for (const header of [null, "", "parley_claim=", "parley_claim=short", `parley_claim=${TOKEN}x`])
    expect(readClaimCookie(config, header)).toBeNull();
});
