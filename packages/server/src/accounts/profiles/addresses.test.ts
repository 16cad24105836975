import { describe, expect, test } from "bun:test";
import { evmAddress, solAddress } from "./addresses.ts";

const refused = (act: Promise<unknown>) => act.then(() => undefined).catch((error) => error.code);

describe("EVM addresses", () => {
  // From EIP-55 itself.
  const checksummed = [
    "0x52908400098527886E0F7030069857D2E4169EE7",
    "0xde709f2102306220921060314715629080e2fb77",
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
  ];

  test.each(checksummed)("%s is accepted in any single case and stored with its checksum", async (address) => {
    expect(await evmAddress(address)).toBe(address);
    expect(await evmAddress(address.toLowerCase())).toBe(address);
    expect(await evmAddress(`0x${address.slice(2).toUpperCase()}`)).toBe(address);
  });

  test.each([
    "0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    "0X5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
    "5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
    "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beae",
    "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaeg",
    " 0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
    "",
  ])("%j is not an EVM address", async (text) => {
    expect(await refused(evmAddress(text))).toBe("invalid_evm_address");
  });
});

describe("Solana addresses", () => {
  test.each([
    "11111111111111111111111111111111",
    "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA",
    "So11111111111111111111111111111111111111112",
  ])("%s is a Solana address", async (address) => {
    expect(await solAddress(address)).toBe(address);
  });
  test.each([
    "1111111111111111111111111111111",
    "111111111111111111111111111111111",
    "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5D0",
    "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
    "",
  ])("%j is not a Solana address", async (text) => {
    expect(await refused(solAddress(text))).toBe("invalid_sol_address");
  });
});
