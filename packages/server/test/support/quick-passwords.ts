import type { PasswordHasher } from "../../src/accounts/passwords/password-threads.ts";

/** The least that argon2id allows. */
const LEAST = { algorithm: "argon2id", memoryCost: 8, timeCost: 1 } as const;

/** Hashes without a delay: a hash at the protocol's cost takes a core for almost a tenth of a second. */
export const quickPasswords: PasswordHasher = {
  hash: async (password) => Bun.password.hashSync(password, LEAST),
  verify: async (password, hash) => Bun.password.verifySync(password, hash),
};
