import { expect, test } from "bun:test";
import { retryAfterOf } from "./fetch-json.ts";

const NOW = Date.UTC(2026, 10, 20, 10);

test.each<[Record<string, string>, number]>([
  [{}, 60],
  [{ "retry-after": "7" }, 7],
  [{ "retry-after": "0" }, 1],
  [{ "retry-after": "Fri, 20 Nov 2026 10:00:30 GMT" }, 30],
  [{ "retry-after": "Fri, 20 Nov 2026 09:00:00 GMT" }, 1],
  [{ "retry-after": "86400" }, 900],
  [{ "retry-after": "soon" }, 60],
  [{ "x-rate-limit-reset": String(NOW / 1000 + 90) }, 90],
  [{ "ratelimit-reset": String(NOW / 1000 + 12.5).split(".")[0] ?? "" }, 12],
  [{ "ratelimit-reset": "45" }, 45],
  [{ "x-ratelimit-reset": "2026-11-20T10:05:00.000000Z" }, 300],
  [{ "x-rate-limit-reset": "99999999999999999" }, 60],
])("%j is %d seconds", (headers, seconds) => {
  expect(retryAfterOf(new Headers(headers), NOW)).toBe(seconds);
});
