import { fail } from "../../errors.ts";

// Both libraries are imported on first use: they cost more memory and start-up time than most servers ever need.

/**
 * Returns an EVM address in its checksummed spelling. An address in a single case has no checksum and is accepted; in
 * mixed case the checksum must be correct (EIP-55; protocol §2).
 * @throws invalid_evm_address
 */
export async function evmAddress(text: string): Promise<string> {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) throw fail("invalid_evm_address");
  const { getAddress, isAddress } = await import("viem/utils");
  const digits = text.slice(2);
  const lower = `0x${digits.toLowerCase()}` as const;
  const oneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  if (!oneCase && !isAddress(text, { strict: true })) throw fail("invalid_evm_address");
  return getAddress(lower);
}

/**
 * Checks a Solana address: base58 of exactly 32 bytes (protocol §2).
 * @throws invalid_sol_address
 */
export async function solAddress(text: string): Promise<string> {
  const { isAddress } = await import("@solana/addresses");
  if (!isAddress(text)) throw fail("invalid_sol_address");
  return text;
}

/**
 * One @ after a local part, a domain with a dot, and nothing that breaks a header. Only a mail can show whether the
 * address exists.
 */
const EMAIL =
  /^[^\s@<>()[\],;:"\\\p{C}]{1,64}@(?=.{1,190}$)[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?(?:\.[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?)+$/u;

/** True if the text has the form of an address. */
export const isEmail = (text: string): boolean => EMAIL.test(text);

/** @throws invalid_email */
export function checkEmail(email: string): void {
  if (!isEmail(email)) throw fail("invalid_email");
}
