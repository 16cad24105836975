import type { AppContext } from "../context.ts";
import { AppError, fail } from "../errors.ts";
import { findRegistration, keepRegistration } from "../http/idempotency.ts";
import { type LoggedIn, login, type Registration, register } from "./accounts.service.ts";
import { findUserById } from "./accounts.store.ts";

/** The key of a registration, and who sent it: a guest is his address. */
interface Sender {
  actorKey: string;
  key: string;
}

/**
 * Registers once per key. Unlike other answers this one cannot be kept: a session comes with it, and a hash of the body would give its
 * password to whoever reads the table. So the repeat is compared with the account that the key has made, and logs it in.
 * @throws idempotency_conflict and what `register` and `login` throw
 */
export async function registerOnce(
  ctx: AppContext,
  input: Registration,
  sender: Sender,
): Promise<LoggedIn & { isNew: boolean }> {
  const before = await repeat(ctx, input, sender);
  if (before !== null) return before;
  try {
    const made = await register(ctx, input, (ctx, userId) => keepRegistration(ctx, sender, userId));
    return { ...made, isNew: true };
  } catch (error) {
    // A twin of this request may have been quicker.
    const twin = await repeat(ctx, input, sender);
    if (twin === null) throw error;
    return twin;
  }
}

/** Logs in whom the key has registered before; null when it has registered nobody. */
async function repeat(ctx: AppContext, input: Registration, sender: Sender) {
  const userId = await findRegistration(ctx, sender);
  if (userId === null) return null;
  const user = await findUserById(ctx.db, userId);
  const isSame = user?.username === input.username && user.email === (input.email ?? null);
  if (!isSame) throw fail("idempotency_conflict");
  const again = await login(ctx, input).catch((error) => {
    const isOtherPassword = error instanceof AppError && error.code === "invalid_credentials";
    throw isOtherPassword ? fail("idempotency_conflict") : error;
  });
  return { ...again, isNew: false };
}
