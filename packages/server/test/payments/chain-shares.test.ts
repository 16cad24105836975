import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import {
  type Bank,
  challengeFor,
  openBank,
  PLATFORM,
  PRICE,
  payToken,
  present,
  sell,
  sellingServer,
} from "../support/chains/payment-world.ts";
import { RpcProxy } from "../support/chains/rpc-proxy.ts";
import { type Client, eventually, type TestServer } from "../support/servers/test-server.ts";

/** Payments whose transactions a chain looks up slowly, beside those of others (protocol §7). */
let bank: Bank;
let proxy: RpcProxy;
let server: TestServer;
let ann: Client;
let bob: Client;

beforeAll(async () => {
  bank = await openBank();
  proxy = new RpcProxy(bank.anvil.url);
  server = await sellingServer(bank, {}, { evmRpcUrls: [proxy.url] });
  [ann, bob] = [await server.user("ann"), await server.user("bob")];
}, 60_000);
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await proxy[Symbol.asyncDispose]();
  await bank[Symbol.asyncDispose]();
});
beforeEach(() => proxy.faults.clear());

const hashOf = (n: number) => `0x${n.toString(16).padStart(64, "0")}`;

test("an account whose transactions are looked up slowly has four look-ups at a time, and others pay meanwhile", async () => {
  const path = await sell(server, "shared");
  await challengeFor(ann, path);
  const { paymentId } = await challengeFor(bob, path);
  const txHash = await payToken(bank, 1, PLATFORM, BigInt(PRICE.amount));
  // The chain is known to be the right one from here on.
  await present(ann, path, { txHash: hashOf(1) });
  proxy.faults.set("*", { kind: "hang" });
  const asked = proxy.sizes.length;
  const slow = Array.from({ length: 20 }, (_, n) => present(ann, path, { txHash: hashOf(n + 2) }));
  await eventually("look-ups are under way", () => proxy.sizes.length >= asked + 4);
  // Requests that were sent earlier have arrived, too.
  await ann.get("/api/channels");
  proxy.faults.clear();
  expect((await present(bob, path, { txHash, paymentId })).status).toBe(200);
  await Promise.all(slow);
});
