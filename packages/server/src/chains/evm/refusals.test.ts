import { expect, test } from "bun:test";
import { RpcRefusal } from "../rpc/failure.ts";
import { meaningOf } from "./refusals.ts";

test.each([
  // geth, and nodes that copy its wording
  ["already known", "known"],
  ["known transaction: 0xabc", "known"],
  ["nonce too low: next nonce 5, tx nonce 4", "nonce_used"],
  ["replacement transaction underpriced", "underpriced"],
  ["transaction underpriced: gas tip cap 0, minimum needed 1", "underpriced"],
  ["max fee per gas less than block base fee: address 0x1, maxFeePerGas: 1, baseFee: 7", "underpriced"],
  ["insufficient funds for gas * price + value: balance 0, tx cost 5", "insufficient_funds"],
  ["execution reverted: paused", "would_fail"],
  // Nethermind
  ["AlreadyKnown", "known"],
  ["OldNonce, Current nonce: 5, nonce of rejected tx: 4", "nonce_used"],
  ["FeeTooLow, MaxFeePerGas too low", "underpriced"],
  ["InsufficientFunds, Account balance: 0, cumulative cost: 5", "insufficient_funds"],
  // Besu
  ["Known transaction", "known"],
  ["Nonce too low", "nonce_used"],
  ["Upfront cost exceeds account balance", "insufficient_funds"],
  ["Gas price below configured minimum gas price", null],
  // anvil, reth
  ["transaction already imported", "known"],
  ["nonce too low", "nonce_used"],
  ["Out of gas: gas required exceeds allowance: 21000", "would_fail"],
  ["max fee per gas less than block base fee", "underpriced"],
  ["header not found", null],
  ["", null],
])("%j means %s", (text, meaning) => {
  expect(meaningOf(new RpcRefusal(-32000, text))).toBe(meaning as ReturnType<typeof meaningOf>);
});

test("the code of a revert is recognized without its text", () => {
  expect(meaningOf(new RpcRefusal(3, "whatever"))).toBe("would_fail");
});
