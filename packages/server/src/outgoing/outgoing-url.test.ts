import { expect, test } from "bun:test";
import { parseNetworks } from "./address-rules.ts";
import { addressProblem, type OutgoingUrl, parseOutgoingUrl } from "./outgoing-url.ts";

const LOCAL = parseNetworks(["127.0.0.0/8"]);

/** What a URL with a host that needs no name server leads to. */
function judge(raw: string, allowed = parseNetworks([])): string {
  const parsed = parseOutgoingUrl(raw, allowed);
  if (typeof parsed === "string") return parsed;
  const address = /^[\d.]+$|:/.test(parsed.host) ? parsed.host : "8.8.8.8";
  return addressProblem(parsed, [address], allowed) ?? `${parsed.host} ${parsed.port}`;
}

test.each([
  ["https://push.example/send/1?a=b", "push.example 443"],
  ["https://push.example:8443/", "push.example 8443"],
  ["https://PUSH.example./", "push.example. 443"],
  ["https://8.8.8.8/", "8.8.8.8 443"],
  ["https://[2606:4700::1111]/", "2606:4700::1111 443"],
  ["http://push.example/", "not_https"],
  ["ftp://push.example/", "not_https"],
  ["file:///etc/passwd", "malformed"],
  ["javascript:alert(1)", "malformed"],
  ["push.example", "malformed"],
  ["https://", "malformed"],
  ["https://push.example:0/", "port_not_allowed"],
  ["https://push.example:22/", "port_not_allowed"],
  ["https://push.example:80/", "port_not_allowed"],
  ["https://push.example:1023/", "port_not_allowed"],
  ["https://push.example:1024/", "push.example 1024"],
  ["https://user@push.example/", "has_credentials"],
  ["https://:secret@push.example/", "has_credentials"],
  ["https://push.example@127.0.0.1/", "has_credentials"],
  ["https://127.0.0.1/", "blocked_address"],
  ["https://2130706433/", "blocked_address"],
  ["https://0x7f.1/", "blocked_address"],
  ["https://017700000001/", "blocked_address"],
  ["https://127.1/", "blocked_address"],
  ["https://0/", "blocked_address"],
  ["https://１２７.0.0.1/", "blocked_address"],
  ["https://[::1]/", "blocked_address"],
  ["https://[::ffff:127.0.0.1]/", "blocked_address"],
  ["https://[64:ff9b::127.0.0.1]/", "blocked_address"],
  ["https://169.254.169.254/latest/meta-data/", "blocked_address"],
  [`https://push.example/${"x".repeat(3_000)}`, "too_long"],
])("%s → %s", (raw, wanted) => {
  expect(judge(raw)).toBe(wanted);
});

test.each([
  ["http://127.0.0.1:8080/", "127.0.0.1 8080"],
  ["http://127.0.0.1/", "127.0.0.1 80"],
  ["http://127.0.0.1:25/", "port_not_allowed"],
  ["https://127.0.0.1/", "127.0.0.1 443"],
  ["http://10.0.0.1/", "not_https"],
  ["https://10.0.0.1/", "blocked_address"],
  ["http://push.example/", "not_https"],
])("with 127.0.0.0/8 allowed, %s → %s", (raw, wanted) => {
  expect(judge(raw, LOCAL)).toBe(wanted);
});

test("one blocked address of a host blocks the host", () => {
  const url = parseOutgoingUrl("https://push.example/", []) as OutgoingUrl;
  expect(addressProblem(url, ["8.8.8.8", "2606:4700::1111"], [])).toBeUndefined();
  expect(addressProblem(url, ["8.8.8.8", "127.0.0.1"], [])).toBe("blocked_address");
  expect(addressProblem(url, [], [])).toBe("unknown_host");
});
