import { audit, COMMAND_LINE } from "../audit/audit.ts";
import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import { createUser } from "./accounts.service.ts";
import { checkUsername } from "./names/names.ts";
import { checkNewPassword, hashPassword } from "./passwords/passwords.ts";

/** The result of `user create`. */
export interface AccountMade {
  username: string;
}

/**
 * Makes an account, whatever PARLEY_REGISTRATION says. Without a password nobody can log in to it until a reset link
 * gives it one. `join` runs in the same transaction.
 * @throws invalid_username, weak_password, username_taken
 */
export async function makeAccount(
  ctx: AppContext,
  username: string,
  password: string | null,
  join: (ctx: AppContext, userId: number) => Promise<void>,
): Promise<AccountMade> {
  checkUsername(username);
  if (password !== null) checkNewPassword(ctx, password, username);
  const passwordHash = password === null ? null : await hashPassword(ctx, password);
  return transact(ctx, async (ctx) => {
    const user = await createUser(ctx, { username, email: null, passwordHash, invitedBy: null, adminLevel: null });
    await join(ctx, user.id);
    await audit(ctx, COMMAND_LINE, "user_create", `user:${user.id}`);
    return { username: user.username };
  });
}
