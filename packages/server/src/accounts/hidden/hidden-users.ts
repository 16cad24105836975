import type { AppContext } from "../../context.ts";
import { insertUser } from "../accounts.store.ts";
import { newInviteCode } from "../invitations/invite-code.ts";
import { holdName } from "../names/held-names.ts";
import { impersonation } from "../names/names.ts";
import { freeUsername } from "../oidc/username.ts";
import { isEmail } from "../profiles/addresses.ts";
import { displayNameOf } from "../shown/display-name.ts";
import { putShown } from "../shown/shown.store.ts";
import { NO_STATUS } from "../shown/status.ts";
import { hideUser } from "./hidden.store.ts";

/** A person of an import (protocol §14.5). */
export interface HiddenUser {
  /** The handle in the source, from which the username is made. */
  handle: string;
  displayName: string | null;
  email: string | null;
  isSuspended: boolean;
  createdAt: number;
}

/** Suspended until then: as long as nobody ends it. */
const FOREVER = 253_402_300_799_000;
/** The free name that was found may be taken meanwhile. */
const TRIES = 5;

/**
 * Makes an account without a way in, in the caller's transaction. Until `showUsers` it has no profile, is in no list and
 * cannot be mentioned; its name is held. It gets no points. Returns its id and name.
 */
export async function makeHiddenUser(ctx: AppContext, user: HiddenUser): Promise<{ id: number; username: string }> {
  // Asked before the name is taken: a display name may look like the person's own username.
  const shown = await allowedDisplayName(ctx, user.displayName);
  for (let tries = 1; ; tries += 1) {
    const username = await freeUsername(ctx, user.handle);
    if (!(await holdName(ctx.db, username))) {
      if (tries === TRIES) throw new Error("No free username was found.");
      continue;
    }
    const row = await insertUser(ctx.db, {
      username,
      email: user.email !== null && isEmail(user.email) ? user.email : null,
      password_hash: null,
      admin_level: null,
      invite_code: newInviteCode(ctx.clock),
      invited_by: null,
      suspended_until: user.isSuspended ? FOREVER : null,
      created_at: user.createdAt,
      updated_at: ctx.clock.now(),
    });
    if (row === null) throw new Error("A new user violates a unique column other than the name.");
    await hideUser(ctx.db, row.id, user.createdAt);
    if (shown !== null) await putShown(ctx.db, row.id, { display_name: shown, ...NO_STATUS });
    return { id: row.id, username };
  }
}

/** Returns the display name if people may have it; null if not. */
async function allowedDisplayName(ctx: AppContext, text: string | null): Promise<string | null> {
  const read = text === null || text === "" ? null : displayNameOf(text);
  if (read === null || !("name" in read)) return null;
  return (await impersonation(ctx.db, "display_name", read.name)) === null ? read.name : null;
}
