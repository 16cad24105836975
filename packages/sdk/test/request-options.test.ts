import { afterAll, expect, test } from "bun:test";
import { ParleyClient } from "../src/client.ts";
import type { ParleyError } from "../src/errors.ts";
import { agentCalls, clientCalls } from "./support/every-call.ts";

/** Requests by the header `x-call`, in the order in which they arrived. */
const requests = new Map<string, Request[]>();
type Reply = "never" | "overloaded" | "forbidden";

const server = Bun.serve({
  port: 0,
  idleTimeout: 0,
  fetch(request) {
    const name = request.headers.get("x-call") ?? "";
    requests.set(name, [...(requests.get(name) ?? []), request]);
    const reply = (request.headers.get("x-reply") ?? "forbidden") as Reply;
    if (reply === "never") return new Promise(() => {});
    const body = { success: false, code: reply, error: "Refused.", retryable: reply === "overloaded" };
    const headers = reply === "overloaded" ? { "retry-after": "0" } : undefined;
    return Response.json(body, { status: reply === "overloaded" ? 503 : 403, ...(headers && { headers }) });
  },
});
afterAll(() => server.stop(true));

const url = String(server.url);
const calls = { ...clientCalls(url), ...agentCalls(url) };
const names = Object.keys(calls);

/** A person waits for these, so a 503 is thrown at once. */
const IMPATIENT = new Set([
  "mail.confirm",
  "mail.askForConfirmation",
  "mail.forgotPassword",
  "accounts.register",
  "accounts.login",
  "accounts.resetPassword",
  "imports.accountOfLink",
  "imports.claimAccount",
  "imports.claimBySignOn",
  "accounts.linkIdentity",
  "accounts.unlinkIdentity",
  "admin.removeSecondFactors",
  "secondFactors.answer",
  "secondFactors.beginApp",
  "secondFactors.confirmApp",
  "secondFactors.removeApp",
  "secondFactors.renewRecoveryCodes",
  "secondFactors.passkeyOptions",
  "secondFactors.addPasskey",
  "secondFactors.removePasskey",
  "secondFactors.passkeyLoginOptions",
  "secondFactors.loginByPasskey",
  "accounts.deleteUser",
  "agent.typing",
  "claims.getCode",
  "claims.redeem",
  "claims.recover",
]);
const LONG_POLLS = new Set(["AgentClient.mentions", "AgentClient.messages"]);
/** Not requests, or with options of their own (tested with the payments). */
const NO_REQUESTS = new Set(["stickers.fileUrl", "payments.fetch"]);

const run = (name: string, reply: Reply, options: object) =>
  calls[name]?.({ headers: { "x-call": `${name} ${reply}`, "X-Reply": reply }, maxRetries: 0, ...options });

test("the list of calls is complete", () => {
  const client = new ParleyClient({ url });
  const methods = Object.entries(client).flatMap(([group, resource]) =>
    Object.getOwnPropertyNames(Object.getPrototypeOf(resource))
      .filter((name) => name !== "constructor")
      .map((name) => `${group}.${name}`),
  );
  expect(methods.length).toBeGreaterThan(80);
  expect(methods.filter((name) => !names.includes(name) && !NO_REQUESTS.has(name))).toEqual([]);
});

/** Makes every call at once; returns what each one throws, or returns. */
async function outcomes(reply: Reply, optionsOf: (name: string) => object): Promise<Map<string, unknown>> {
  const made = names.map(async (name) => {
    const outcome = await run(name, reply, optionsOf(name))?.catch((error: unknown) => error);
    return [name, outcome] as const;
  });
  return new Map(await Promise.all(made));
}

const codes = (found: Map<string, unknown>) => new Set([...found.values()].map((error) => (error as ParleyError).code));

test("every call sends additional headers", async () => {
  expect(codes(await outcomes("forbidden", () => ({})))).toEqual(new Set(["forbidden"]));
  const sent = names.filter((name) => requests.get(`${name} forbidden`)?.length === 1);
  expect(sent).toEqual(names);
});

test("every call times out", async () => {
  // Long polls add the 30 s that the server may hold them open.
  const found = await outcomes("never", (name) =>
    LONG_POLLS.has(name) ? { signal: AbortSignal.timeout(20) } : { timeoutMs: 20 },
  );
  for (const name of LONG_POLLS) expect(found.delete(name)).toBe(true);
  expect(codes(found)).toEqual(new Set(["timeout"]));
});

test("every call is retried as often as it may be", async () => {
  expect(codes(await outcomes("overloaded", () => ({ maxRetries: 2 })))).toEqual(new Set(["overloaded"]));
  const counts = names.map((name) => [name, requests.get(`${name} overloaded`)?.length]);
  expect(counts).toEqual(names.map((name) => [name, IMPATIENT.has(name) ? 1 : 3]));
});

test("every call ends when its signal is aborted", async () => {
  const stop = new AbortController();
  const reason = new Error("enough");
  const calling = outcomes("never", () => ({ signal: stop.signal, maxRetries: 4 }));
  stop.abort(reason);
  for (const [name, outcome] of await calling) {
    // Loops that wait for something new end without an error.
    const isLoop = /\.events$|AgentClient\.(inbox|mentions|messages)$/.test(name);
    if (name === "AgentClient.run") expect(outcome).toBeUndefined();
    else expect([name, outcome]).toEqual([name, isLoop ? { done: true, value: undefined } : reason]);
  }
});

test("a header given for a call replaces the client's own", async () => {
  const client = new ParleyClient({ url, apiKey: "key" });
  const headers = { "x-call": "replaced", "Idempotency-Key": "once-for-ever" };
  await client.channels.create({ name: "Tea" }, { headers, maxRetries: 0 }).catch(() => {});
  const [request] = requests.get("replaced") ?? [];
  expect(request?.headers.get("idempotency-key")).toBe("once-for-ever");
  expect(request?.headers.get("authorization")).toBe("Bearer key");
});

test("an aborted call is not sent, and an abort ends the wait before a retry", async () => {
  const client = new ParleyClient({ url, backoff: { firstMs: 60_000, maxMs: 60_000 } });
  const headers = { "x-call": "aborted" };
  await expect(client.accounts.sessions({ headers, signal: AbortSignal.abort("before") })).rejects.toBe("before");
  expect(requests.get("aborted")).toBeUndefined();
  const stop = new AbortController();
  const nowhere = new ParleyClient({ url: "http://127.0.0.1:1", backoff: { firstMs: 60_000, maxMs: 60_000 } });
  const waiting = nowhere.accounts.sessions({ signal: stop.signal });
  setTimeout(() => stop.abort("during the wait"), 50);
  await expect(waiting).rejects.toBe("during the wait");
});
