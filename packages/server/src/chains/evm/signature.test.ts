import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Hex, hashMessage, keccak256, recoverAddress, toHex } from "viem";
import { privateKeyToAccount, sign } from "viem/accounts";
import { signerOf, signerOnce } from "./signature.ts";

/** Order of the curve's group (SEC 2, secp256k1). */
const N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** The result of viem, an independent implementation; null if viem rejects the signature. */
const byViem = (hash: Hex, signature: Hex) => recoverAddress({ hash, signature }).catch(() => null);

const word = (value: bigint): string => value.toString(16).padStart(64, "0");
const wordBytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
const hashes: fc.Arbitrary<Hex> = wordBytes.map((bytes) => toHex(bytes));
const keys: fc.Arbitrary<Hex> = fc.bigInt({ min: 1n, max: N - 1n }).map((key): Hex => `0x${word(key)}`);

const runs = { numRuns: 60 };

describe("the signer of an EVM signature", () => {
  test("is the key's address, for both encodings of v and both halves of s", async () => {
    await fc.assert(
      fc.asyncProperty(keys, hashes, async (privateKey, hash) => {
        const { address } = privateKeyToAccount(privateKey);
        const { r, s, yParity } = await sign({ hash, privateKey });
        if (yParity === undefined) throw new Error("there is no parity");
        const low = `${r}${s.slice(2)}`;
        const high = `${r}${word(N - BigInt(s))}`;
        for (const v of [`0${yParity}`, (27 + yParity).toString(16)]) {
          expect(await signerOf(hash, low + v)).toBe(address);
          expect(await signerOf(hash, (low + v).toUpperCase().replace("0X", "0x"))).toBe(address);
        }
        for (const v of [`0${1 - yParity}`, (28 - yParity).toString(16)]) {
          expect(await signerOf(hash, high + v)).toBe(address);
          expect(await signerOf(hash, low + v)).not.toBe(address);
        }
      }),
      runs,
    );
  });

  test("is recovered from a signed text (EIP-191)", async () => {
    await fc.assert(
      fc.asyncProperty(keys, fc.string(), async (key, message) => {
        const account = privateKeyToAccount(key);
        expect(await signerOf(hashMessage(message), await account.signMessage({ message }))).toBe(account.address);
      }),
      runs,
    );
  });

  test("equals viem's result for any 65 bytes", async () => {
    const half = fc.oneof(
      wordBytes.map((bytes) => toHex(bytes).slice(2)),
      edges(),
    );
    await fc.assert(
      fc.asyncProperty(hashes, half, half, fc.constantFrom("00", "01", "1b", "1c"), async (hash, r, s, v) => {
        const signature: Hex = `0x${r}${s}${v}`;
        expect(await signerOf(hash, signature)).toBe(await byViem(hash, signature));
      }),
      { numRuns: 200 },
    );
  });

  test("is computed once for concurrent requests", async () => {
    const find = signerOnce();
    const hash = keccak256("0x03");
    const privateKey: Hex = `0x${word(5n)}`;
    const signature = await sign({ hash, privateKey, to: "hex" });
    const found = find(hash, signature);
    expect(find(hash, signature)).toBe(found);
    expect(await found).toBe(privateKeyToAccount(privateKey).address);
    expect(await find(keccak256("0x04"), signature)).not.toBe(await found);
  });

  test("is none if r or s is outside of the group", async () => {
    const hash = keccak256("0x00");
    for (const bad of [0n, N, N + 1n, 2n ** 256n - 1n]) {
      for (const signature of [`0x${word(bad)}${word(1n)}1b`, `0x${word(1n)}${word(bad)}1b`]) {
        expect(await signerOf(hash, signature)).toBeNull();
      }
    }
  });

  test("is none for any other v", async () => {
    const hash = keccak256("0x01");
    const { r, s } = await sign({ hash, privateKey: `0x${word(7n)}` });
    for (let v = 0; v < 256; v++) {
      if (v === 0 || v === 1 || v === 27 || v === 28) continue;
      expect(await signerOf(hash, `${r}${s.slice(2)}${v.toString(16).padStart(2, "0")}`)).toBeNull();
    }
  });

  test("is none for a malformed signature", async () => {
    const hash = keccak256("0x02");
    const hex = fc.string({ unit: fc.constantFrom(..."0123456789abcdef"), maxLength: 140 }).map((text) => `0x${text}`);
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), hex), async (text) => {
        fc.pre(text.length !== 132);
        expect(await signerOf(hash, text)).toBeNull();
      }),
      runs,
    );
  });
});

/** Numbers around the limits of the group and of the field. */
function edges(): fc.Arbitrary<string> {
  const field = 2n ** 256n - 2n ** 32n - 977n;
  const places = [0n, N / 2n, N, field, 2n ** 256n - 3n];
  return fc
    .tuple(fc.constantFrom(...places), fc.bigInt({ min: -2n, max: 2n }))
    .map(([place, by]) => word(place + by < 0n ? 0n : place + by));
}
