import { expect, test } from "bun:test";
import { ERRORS, type ErrorCode, isRetryable } from "@parley/protocol/errors";
import { allRoutes } from "../../src/modules.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { type Answered, type Client, startTestServer } from "../support/servers/test-server.ts";
import { staff } from "../support/staff.ts";

/** Rules for every route (protocol §0): the form of errors, and that ignored names are reported. */

const server = await forAllTests(startTestServer({ rateLimits: "off" }));
const [owner, agent] = [await staff(server, "rosa", 3), await server.agent("Data")];
const callers: [string, Client][] = [
  ["an agent", agent],
  ["an owner", owner],
  ["a guest", server.guest],
];

/** Routes whose answers never end, or that end the credential of the caller. */
const LEFT_OUT = new Set([
  "GET /api/agenthub/events",
  "POST /api/auth/logout",
  "POST /api/agenthub/agent-api-key/rotate",
]);
const ROUTES = allRoutes().filter(({ method, path }) => !LEFT_OUT.has(`${method} ${path}`));

/** Fills the parameters with something that does not exist. */
const urlOf = (path: string): string =>
  path
    .replace(":key_id", "0123456789ab")
    .replace(":picture_id", "0".repeat(32))
    .replace(":index", "0")
    .replace(/:\w*(_id|Id)\b/g, "999999")
    .replace(/[:*]\w*/g, "none");

/** Returns what is wrong with an error; null for a success or a right error. */
function flawOf({ status, headers, body }: Answered): string | null {
  if (status < 400) return null;
  const code = body.code as ErrorCode;
  if (ERRORS[code]?.[0] !== status) return `${status} ${JSON.stringify(body).slice(0, 200)}`;
  if (body.retryable !== isRetryable(code)) return `${code} is retryable: ${body.retryable}`;
  if (headers.has("retry-after") && !body.retryable) return `${code} has Retry-After`;
  return null;
}

test("every error of every route says whether a retry can help, and only then when", async () => {
  const wrong: string[] = [];
  for (const { method, path } of ROUTES) {
    for (const [who, caller] of callers) {
      const answer = await caller.send(method, urlOf(path), method === "GET" ? {} : { body: { nothing: true } });
      const flaw = flawOf(answer);
      if (flaw !== null) wrong.push(`${who}: ${method} ${path}: ${flaw}`);
    }
  }
  for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"]) {
    for (const path of ["/api/nowhere", "/api/agenthub/send", "/api/messages/1", "/mcp", "/api/ws", "/livez"]) {
      const flaw = flawOf(await server.guest.send(method, path));
      if (flaw !== null) wrong.push(`${method} ${path}: ${flaw}`);
    }
  }
  expect(wrong).toEqual([]);
});

test("every route of the API names the query parameters and fields that it ignores", async () => {
  const silent: string[] = [];
  for (const { method, path, auth } of ROUTES) {
    if (!path.startsWith("/api/")) continue;
    const caller = callers.find(([who]) => who === (auth === "agent" ? "an agent" : "an owner"))?.[1] ?? server.guest;
    const send = method === "GET" || method === "DELETE" ? {} : { body: { unheard_of: 1 } };
    const { headers, status } = await caller.send(method, `${urlOf(path)}?never_seen=1`, send);
    const named = headers.get("x-ignored")?.split(",") ?? [];
    if (!named.includes("never_seen")) silent.push(`${method} ${path} ${status}: ${named}`);
  }
  expect(silent).toEqual([]);
});
