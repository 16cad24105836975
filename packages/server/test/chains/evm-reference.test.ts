import { afterEach, beforeEach, expect, test } from "bun:test";
import type { Hex } from "viem";
import type { Chain } from "../../src/chains/chain.ts";
import { Anvil, accountOf } from "../support/chains/anvil.ts";
import { evmOver } from "../support/chains/evm.ts";
import { RpcProxy } from "../support/chains/rpc-proxy.ts";
import { stillClock } from "../support/clock.ts";
import { forAllTests } from "../support/for-all-tests.ts";

/**
 * When a server is asked for its chain id: once a minute for responses that prove their chain, and each time for all
 * others.
 */

const NOBODYS: Hex = `0x${"5".repeat(64)}`;

let proxy: RpcProxy;
let chain: Chain;
const clock = stillClock();

const anvil = await forAllTests(Anvil.start());
const paid = await anvil.send(1, accountOf(0).address, 250n);
await anvil.mine(2);
beforeEach(() => {
  proxy = new RpcProxy(anvil.url);
  chain = evmOver(proxy.url, { clock });
});
afterEach(() => proxy[Symbol.asyncDispose]());

const asked = (): number => proxy.called.filter((method) => method === "eth_chainId").length;
const moveAway = (): void => proxy.lie("eth_chainId", () => "0x1");

test("a transaction proves its chain, so the chain id is asked once a minute", async () => {
  for (let i = 0; i < 3; i++) expect(await chain.observe(paid)).toMatchObject({ state: "final" });
  expect(asked()).toBe(1);
  clock.advance(60_000);
  expect(await chain.observe(paid)).toMatchObject({ state: "final" });
  expect(asked()).toBe(2);
});

test("the chain id is asked again after any failure", async () => {
  await chain.observe(paid);
  proxy.faults.set("eth_blockNumber", { kind: "status", status: 503 });
  await expect(chain.observe(paid)).rejects.toMatchObject({ code: "chain_unavailable" });
  proxy.faults.clear();
  moveAway();
  await expect(chain.observe(paid)).rejects.toMatchObject({ code: "chain_unavailable" });
});

test("a server that moved to another chain is not believed that a transaction does not exist", async () => {
  await chain.observe(paid);
  expect(await chain.observe(NOBODYS)).toMatchObject({ state: "unknown" });
  moveAway();
  await expect(chain.observe(NOBODYS)).rejects.toMatchObject({ code: "chain_unavailable" });
});

test("a server that moved to another chain is not believed that a transaction is waiting", async () => {
  await chain.observe(paid);
  proxy.lie("eth_getTransactionReceipt", () => null);
  expect(await chain.observe(paid)).toMatchObject({ state: "pending" });
  moveAway();
  await expect(chain.observe(paid)).rejects.toMatchObject({ code: "chain_unavailable" });
});

test("a server that moved to another chain is not believed that another block is at that height", async () => {
  await chain.observe(paid);
  proxy.lie("eth_getBlockByNumber", (block) => ({ ...(block as object), hash: NOBODYS }));
  expect(await chain.observe(paid)).toMatchObject({ state: "pending" });
  moveAway();
  await expect(chain.observe(paid)).rejects.toMatchObject({ code: "chain_unavailable" });
});
