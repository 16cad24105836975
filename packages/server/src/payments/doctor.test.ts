import { expect, test } from "bun:test";
import { Anvil } from "../../test/support/chains/anvil.ts";
import { Facilitator } from "../../test/support/chains/facilitator.ts";
import { AnsweringServer, answer, sayNothing } from "../../test/support/servers/answering-server.ts";
import { type Environment, loadConfig } from "../config/load-config.ts";
import { checkFacilitator } from "./doctor.ts";

const environment = (url: string, chainId: number): Environment => ({
  PARLEY_EVM_RPC_URL: "http://127.0.0.1:1",
  PARLEY_EVM_CHAIN_ID: String(chainId),
  PARLEY_EVM_TOKENS: `USDC=0x${"1".repeat(40)}:6`,
  PARLEY_X402_FACILITATOR_URL: url,
  PARLEY_X402_FACILITATOR_AUTHORIZATION: "Bearer s3cret",
});

test("the doctor reports nothing without a facilitator", async () => {
  expect(await checkFacilitator(loadConfig({}))).toEqual([]);
});

test("the doctor reports whether the facilitator settles on this chain", async () => {
  await using anvil = await Anvil.start();
  await using facilitator = new Facilitator(anvil);
  const found = await checkFacilitator(loadConfig(environment(facilitator.url, 31_337)));
  expect(found).toMatchObject([
    { state: "ok", text: expect.stringContaining("supports the x402 scheme exact on eip155:31337") },
  ]);
  expect(facilitator.asked).toEqual([{ path: "/x402/supported", authorization: "Bearer s3cret" }]);
  const other = await checkFacilitator(loadConfig(environment(facilitator.url, 8_453)));
  expect(other).toMatchObject([{ state: "problem", text: expect.stringContaining("PARLEY_EVM_CHAIN_ID") }]);
});

test.each([
  ["refuses", answer({ status: 401, body: { error: "who are you" } })],
  ["fails", answer({ status: 500 })],
  ["is silent", sayNothing],
])(
  "the doctor gives advice about a facilitator that %s, without its secret",
  async (_name, answering) => {
    await using server = await AnsweringServer.start();
    server.answering = answering;
    const [found] = await checkFacilitator(loadConfig(environment(server.url, 1)));
    expect(found?.state).toBe("advice");
    expect(found?.text).toContain("does not respond to /supported");
    expect(found?.text).not.toContain("s3cret");
  },
  20_000,
);
