import { accountNamed } from "../accounts/account-named.ts";
import { closeAccount, erasableUser, requirePassword } from "../accounts/erase/erase.ts";
import { endOwnedAgents } from "../agents/erase.ts";
import { audit, COMMAND_LINE } from "../audit/audit.ts";
import { assertOwnsNoChannel } from "../channels/erase.ts";
import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import { BEGINNING } from "../erasure.ts";
import { fail } from "../errors.ts";
import type { UserIdentity } from "../http/identity.ts";
import { refuseOpenValue } from "../red-packets/erase.ts";
import { settleMs, wakeEraser } from "./erasing.ts";
import { insertErasure } from "./erasures.store.ts";
import { erasingSteps } from "./steps.ts";

/**
 * Deletes an account: the caller's own or, for administrators, one of a lower level (protocol §1, §2; issue 3). At once
 * the account cannot be logged in to, its sessions, sockets and agents' keys end, and its profile is removed; its name
 * is removed from channels in the background, within minutes (`erasing.ts`). It cannot be undone.
 * Errors: `user_not_found`, `forbidden`, `reauth_required`, `rate_limited`, `owns_channels`, `open_red_packets`,
 * `last_owner`, `overloaded`.
 */
export async function eraseUser(
  ctx: AppContext,
  caller: UserIdentity,
  username: string,
  password: string | undefined,
): Promise<void> {
  const { id } = await erasableUser(ctx, caller, username);
  await requirePassword(ctx, caller, password);
  await erase(ctx, caller, id);
}

/**
 * Deletes an account for the operator, while no server runs: the next one removes the name from channels. Errors:
 * `user_not_found`, `owns_channels`, `open_red_packets`, `last_owner`.
 */
export async function eraseAsOperator(ctx: AppContext, username: string): Promise<void> {
  const user = await accountNamed(ctx, username);
  if (user === null) throw fail("user_not_found");
  await erase(ctx, COMMAND_LINE, user.id);
}

function erase(ctx: AppContext, caller: UserIdentity | typeof COMMAND_LINE, id: number): Promise<void> {
  return transact(ctx, async (ctx) => {
    const user = await closeAccount(ctx, caller, id);
    await assertOwnsNoChannel(ctx, id);
    await refuseOpenValue(ctx, id);
    await endOwnedAgents(ctx, id);
    const [place_a, place_b] = [BEGINNING.a, BEGINNING.b];
    // At the command line there are no steps: a name that is none begins with the first.
    const step = erasingSteps.find(ctx)?.[0]?.name ?? "";
    const started_at = ctx.clock.now();
    await insertErasure(ctx.db, { user_id: id, username: user.username, started_at, step, place_a, place_b });
    const isOwn = caller !== COMMAND_LINE && caller.userId === id;
    if (!isOwn) await audit(ctx, caller, "user_delete", `user:${id}`);
    if (caller !== COMMAND_LINE) ctx.afterCommit(() => wakeEraser(ctx.root, settleMs(ctx)));
  });
}
