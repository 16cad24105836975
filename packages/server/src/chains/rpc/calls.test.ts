import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { listenForCalls } from "../../../test/support/chains/rpc-listener.ts";
import { stillClock } from "../../../test/support/clock.ts";
import { RpcCalls } from "./calls.ts";

type Call = { id: number; method: string };
type Said = { status?: number; body: unknown };
const single = ({ id, method }: Call) => ({ jsonrpc: "2.0", id, result: `said of ${method}` });
/** Answers every call of a batch. */
const honest = (calls: Call[]): Said => ({ body: calls.map(single) });

let server: Bun.Server<undefined>;
let requests: (Call | Call[])[];
let ofBatches: (calls: Call[]) => Said;
beforeEach(() => {
  requests = [];
  ofBatches = honest;
  server = listenForCalls<Call>((asked) => {
    requests.push(asked);
    const { status = 200, body } = Array.isArray(asked) ? ofBatches(asked) : { body: single(asked) };
    return Response.json(body, { status });
  });
});
afterEach(() => server.stop(true));

const near = (clock = stillClock()) => new RpcCalls({ url: server.url.href, callMs: 20_000, clock });
const sizes = () => requests.map((asked) => (Array.isArray(asked) ? asked.length : 1));

/** A query of two calls, each with its result. */
async function question(calls: RpcCalls, methods = ["one", "two"]): Promise<unknown[]> {
  const { signal } = new AbortController();
  const settled = await Promise.allSettled(methods.map((method) => calls.ask(method, [], signal)));
  return settled.map((each) => (each.status === "fulfilled" ? each.value : (each.reason.reason ?? each.reason.text)));
}
const BOTH = ["said of one", "said of two"];

describe("RPC calls made at once", () => {
  test("of one query are one batch, answered in any order", async () => {
    ofBatches = (calls) => ({ body: calls.map(single).reverse() });
    expect(await question(near())).toEqual(BOTH);
    expect(sizes()).toEqual([2]);
  });

  test("of several queries are not mixed", async () => {
    const calls = near();
    expect(await Promise.all([question(calls), question(calls)])).toEqual([BOTH, BOTH]);
    expect(sizes()).toEqual([2, 2]);
  });

  test("are not a batch if there is only one call", async () => {
    const calls = near();
    expect(await question(calls, ["one"])).toEqual(["said of one"]);
    expect(await Promise.all(["one", "two"].map((method) => calls.ask(method, [], undefined)))).toEqual(BOTH);
    expect(sizes()).toEqual([1, 1, 1]);
  });

  test("fail one by one if the server refuses one of them", async () => {
    ofBatches = ([one, two]) => ({
      body: [one && single(one), { id: two?.id, error: { code: -32000, message: "not this" } }],
    });
    expect(await question(near())).toEqual(["said of one", "not this"]);
  });
});

describe("an RPC server without batches", () => {
  const REFUSALS: [string, Said][] = [
    ["by an error", { body: { jsonrpc: "2.0", id: null, error: { code: -32600, message: "no batches" } } }],
    ["by a status", { status: 400, body: { message: "no batches" } }],
    ["by failing", { status: 500, body: "oops" }],
    ["by failing with a list", { status: 500, body: [] }],
    ["by answering the first call only", { body: { jsonrpc: "2.0", id: 1, result: "said of something" } }],
  ];
  test.each(REFUSALS)("that says so %s is asked call by call for ten minutes", async (_, said) => {
    const clock = stillClock();
    const calls = near(clock);
    ofBatches = () => said;
    expect(await question(calls)).toEqual(BOTH);
    expect(sizes()).toEqual([2, 1, 1]);
    clock.advance(10 * 60_000 - 1);
    expect(await question(calls)).toEqual(BOTH);
    expect(sizes()).toEqual([2, 1, 1, 1, 1]);
    clock.advance(1);
    ofBatches = honest;
    expect(await question(calls)).toEqual(BOTH);
    expect(sizes()).toEqual([2, 1, 1, 1, 1, 2]);
  });

  test("is not asked more often if it refuses because of a rate limit", async () => {
    ofBatches = () => ({ status: 429, body: {} });
    expect(await question(near())).toEqual(["limited", "limited"]);
    expect(sizes()).toEqual([2]);
  });
});

describe("an RPC batch is rejected if the response holds", () => {
  const answered = (change: (answers: ReturnType<typeof single>[]) => unknown[]) => (calls: Call[]) => ({
    body: change(calls.map(single)),
  });
  const BROKEN: [string, (calls: Call[]) => Said][] = [
    ["no answer", answered(() => [])],
    ["only some of the answers", answered(([one]) => [one])],
    ["one answer twice", answered(([one]) => [one, one])],
    ["one answer twice, and the other one", answered(([one, two]) => [one, { ...one, result: "otherwise" }, two])],
    ["the answer to another call", answered(([one]) => [one, { ...one, id: 1_000_000 }])],
    ["an id as text", answered(([one, two]) => [one, { ...two, id: String(two?.id) }])],
    ["an additional answer", answered((all) => [...all, { jsonrpc: "2.0", id: 1_000_000, result: "more" }])],
    ["no result", answered(([one, two]) => [one, { id: two?.id }])],
    ["null", answered(([one]) => [one, null])],
  ];
  test.each(BROKEN)("%s", async (_, answering) => {
    const calls = near();
    ofBatches = answering;
    expect(await question(calls)).toEqual(["malformed", "malformed"]);
    expect(sizes()).toEqual([2]);
    // The next query is sent call by call: perhaps the server only lacks batches.
    expect(await question(calls)).toEqual(BOTH);
    expect(sizes()).toEqual([2, 1, 1]);
  });
});
