import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { accountOf } from "../support/chains/anvil.ts";
import {
  type ExactBank,
  exactServer,
  offeredTo,
  openExactBank,
  pack,
  presentPacked,
  rowsOf,
  sign,
} from "../support/chains/exact-world.ts";
import { sell } from "../support/chains/payment-world.ts";
import { expectError } from "../support/expect-error.ts";
import { type Client, eventually, type TestServer } from "../support/servers/test-server.ts";

/** Payments by authorization of many at the same time (protocol §9.7): one payer's slow ones do not hold up the others. */
const [SLOW, FAST] = [1, 2];
let bank: ExactBank;
let server: TestServer;
let ann: Client;
let bob: Client;
const held: (() => void)[] = [];
const release = () => {
  for (const end of held.splice(0)) end();
};

beforeAll(async () => {
  bank = await openExactBank();
  server = await exactServer(bank);
  [ann, bob] = [await server.user("ann"), await server.user("bob")];
  const slowPayer = accountOf(SLOW).address.toLowerCase();
  bank.facilitator.verify = async (honest, { paymentPayload }) => {
    if (JSON.stringify(paymentPayload).toLowerCase().includes(slowPayer)) {
      await new Promise<void>((resolve) => held.push(resolve));
      return Response.json({ isValid: false, invalidReason: "insufficient_funds" });
    }
    return Response.json(await honest());
  };
}, 60_000);
afterEach(release);
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await bank[Symbol.asyncDispose]();
});

async function ordered(who: Client, slug: string, index: number) {
  const path = await sell(server, slug);
  const payload = pack(await sign(await offeredTo(who, path), { index }));
  return { path, show: () => presentPacked(who, path, payload) };
}

test("a payer with slow verifications has four at a time, others pay meanwhile, and what waits too long is not stored", async () => {
  const slow = await Promise.all(Array.from({ length: 18 }, (_, n) => ordered(ann, `slow-${n}`, SLOW)));
  const fast = await ordered(bob, "fast", FAST);
  const answers = slow.map(async ({ path, show }) => ({ path, answer: await show() }));
  await eventually("the facilitator is asked", () => held.length === 4);
  expect((await fast.show()).status).toBe(200);
  expect(held.length).toBe(4);
  const refused = await Promise.race(answers);
  expectError(refused.answer, 503, "overloaded");
  expect(await rowsOf(server, refused.path)).toEqual({ granted: [], settlements: [] });
  // A request that still waits would take the place of one that is released.
  let ended = 0;
  for (const answer of answers) void answer.then(() => ended++);
  await eventually("the others have waited too long", () => ended === 14);
  release();
  const ends = (await Promise.all(answers)).map(({ answer }) => answer.status);
  expect(ends.filter((status) => status === 402)).toHaveLength(4);
  expect(ends.filter((status) => status === 503)).toHaveLength(14);
});
