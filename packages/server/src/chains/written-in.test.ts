import { expect, test } from "bun:test";
import { getBase58Decoder } from "@solana/kit";
import { isWrittenIn } from "./written-in.ts";

const BYTES = Buffer.from(`${"7f".repeat(31)}0a`, "hex");
const EVM = `0x${BYTES.toString("hex")}`;
const SOLANA = getBase58Decoder().decode(BYTES);

test.each([
  ["evm", EVM, BYTES],
  ["evm", EVM, Buffer.from(EVM)],
  ["evm", EVM, Buffer.from(EVM.toUpperCase())],
  ["solana", SOLANA, BYTES],
  ["solana", SOLANA, Buffer.from(SOLANA)],
] as const)("finds a reference of %s chains in any notation (%#)", async (kind, reference, written) => {
  const data = Buffer.concat([Buffer.from("aa"), written, Buffer.from("bb")]).toString("hex");
  expect(await isWrittenIn({ data }, kind, reference)).toBeTrue();
  expect(await isWrittenIn({ data: data.slice(0, -8) }, kind, reference)).toBeFalse();
  expect(await isWrittenIn({}, kind, reference)).toBeFalse();
});
