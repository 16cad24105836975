import type { AppContext } from "../context.ts";
import { AppError, fail } from "../errors.ts";
import { findRegistration, keepRegistration } from "../http/idempotency.ts";
import { login, type Registration, register } from "./accounts.service.ts";
import { findUserById } from "./accounts.store.ts";
import type { LoggedIn } from "./sessions/start-login.ts";

/** The idempotency key of a registration and its sender; a guest is identified by their address. */
interface Sender {
  actorKey: string;
  key: string;
}

/**
 * Registers at most once per key. The response cannot be stored like others: it contains a session, and a hash of the
 * body would expose the password to readers of the table. Instead, a retry is compared with the account that the key
 * has made, and logs in to it.
 * @throws idempotency_conflict and the errors of `register` and `login`
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
    // A concurrent request with the same key may have succeeded.
    const twin = await repeat(ctx, input, sender);
    if (twin === null) throw error;
    return twin;
  }
}

/** Logs in to the account that the key has registered; null when there is none. */
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
