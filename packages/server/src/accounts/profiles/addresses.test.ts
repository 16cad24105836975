import { describe, expect, test } from "bun:test";
import { checkEmail, evmAddress, solAddress } from "./addresses.ts";

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

test.each([
  "a@b.co",
  "first.last+tag@mail.example.org",
  "o'neil@example.ie",
  "ü@bücher.example",
  "x_y-z@a-b.c1.museum",
])("%s is an email address", (text) => {
  expect(() => checkEmail(text)).not.toThrow();
});

test.each([
  "",
  "a",
  "a@b",
  "@b.co",
  "a@",
  "a@.co",
  "a@b.",
  "a@b..co",
  "a@-b.co",
  "a@b-.co",
  "a b@c.de",
  "a@b c.de",
  "a@@b.co",
  "a@b.co\nbcc: x@y.zz",
  "a@b.co\0",
  "<a@b.co>",
  "a,b@c.de",
  `${"x".repeat(65)}@b.co`,
  `a@${"b".repeat(250)}.co`,
])("%j is not an email address", (text) => {
  expect(() => checkEmail(text)).toThrow(expect.objectContaining({ code: "invalid_email" }));
});

/** A check whose time grows with the square of the length would take longer than a test may. */
test("a long hostile text is refused quickly", () => {
  expect(() => checkEmail(`a@${"a-".repeat(500_000)}`)).toThrow();
  expect(() => checkEmail(`a@${"a.".repeat(500_000)}`)).toThrow();
});
