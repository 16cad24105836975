import { expect, test } from "bun:test";
import { parseSiweMessage, validateSiweMessage } from "viem/siwe";
import { type WalletClaim, walletMessage } from "./wallet-proof.ts";

const claim: WalletClaim = {
  chain: "evm",
  address: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  username: "ann",
  origin: "https://chat.example.org",
  chainId: 8453,
  nonce: "0123456789abcdef",
  issuedAt: Date.UTC(2026, 0, 1),
  expiresAt: Date.UTC(2026, 0, 1, 0, 10),
};

test("the message for an EVM wallet has the form of EIP-4361", () => {
  const message = walletMessage(claim);
  const parsed = parseSiweMessage(message);
  expect(parsed).toMatchObject({
    domain: "chat.example.org",
    address: claim.address,
    statement: "This wallet belongs to the account ann. Signing this costs nothing and moves nothing.",
    uri: "https://chat.example.org",
    version: "1",
    chainId: 8453,
    nonce: claim.nonce,
    issuedAt: new Date(claim.issuedAt),
    expirationTime: new Date(claim.expiresAt),
  } as object);
  expect(validateSiweMessage({ message: parsed, domain: "chat.example.org", time: new Date(claim.issuedAt) })).toBe(
    true,
  );
});

test("the message for a Solana wallet differs only in the chain's name", () => {
  const message = walletMessage({ ...claim, chain: "solana", address: "1".repeat(32) });
  expect(message).toStartWith(`chat.example.org wants you to sign in with your Solana account:\n${"1".repeat(32)}\n\n`);
  expect(message).not.toContain("Chain ID");
});
