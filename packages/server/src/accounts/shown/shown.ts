import type { UpdateUserBody } from "@parley/protocol/accounts";
import { RATES } from "@parley/protocol/limits";
import type { ShownProfile } from "@parley/protocol/profiles";
import { audit } from "../../audit/audit.ts";
import type { AppContext } from "../../context.ts";
import type { Db } from "../../db/db.ts";
import { transact } from "../../db/transact.ts";
import { fail } from "../../errors.ts";
import { decide } from "../../http/acts/act.ts";
import type { Identity, UserIdentity } from "../../http/identity.ts";
import { rateLimited } from "../../http/rates.ts";
import { hasLevel, MODERATOR, OWNER } from "../../http/site-levels.ts";
import { publishEvent } from "../../realtime/publish.ts";
import { channelTopic, userTopic } from "../../realtime/topics.ts";
import { channelsOfUser, heldUserByName, type UserRow } from "../accounts.store.ts";
import { impersonation } from "../names/names.ts";
import { displayNameOf } from "./display-name.ts";
import { findShown, findShownByNames, putShown, removeShown, type ShownRow } from "./shown.store.ts";
import { NO_STATUS, shownStatus, statusOf } from "./status.ts";

type Shown = Omit<ShownProfile, "username">;
/** A change of what a user shows; `undefined` leaves a field as it is. */
export type ShownChange = Partial<ShownRow>;

const NOTHING: ShownRow = { display_name: null, ...NO_STATUS };

/** Returns what a user shows on the wire, without a status that has ended. */
const factsOf = ({ display_name, ...status }: ShownRow, now: number): Shown => ({
  display_name,
  status: shownStatus(status, now),
});

/** Returns a user's display name and status. */
export const shownFactsOf = async (ctx: AppContext, userId: number): Promise<Shown> =>
  factsOf((await findShown(ctx.db, userId)) ?? NOTHING, ctx.clock.now());

/**
 * Returns what the users among the names, separated by commas, show who show anything.
 * @throws session_required
 */
export async function shownProfiles(ctx: AppContext, caller: Identity, usernames: string): Promise<ShownProfile[]> {
  if (caller.kind === "guest" && !ctx.config.guestRead) throw fail("session_required");
  const found = await findShownByNames(ctx.db, [...new Set(usernames.split(","))]);
  return found
    .map(({ username, ...row }) => ({ username, ...factsOf(row, ctx.clock.now()) }))
    .filter(({ display_name, status }) => display_name !== null || status !== null);
}

/**
 * Reads the change in a profile update; null if there is none. Counts it, because everybody in the user's channels
 * learns of it. The names that it may look like are checked at the write.
 * @throws invalid_display_name, invalid_status, rate_limited
 */
export async function readShownChange(
  ctx: AppContext,
  caller: UserIdentity,
  { display_name, status }: Pick<UpdateUserBody, "display_name" | "status">,
): Promise<ShownChange | null> {
  if (display_name === undefined && status === undefined) return null;
  const change = {
    ...(display_name === undefined ? {} : { display_name: display_name === null ? null : checkedName(display_name) }),
    ...(status === undefined ? {} : statusOf(status, ctx.clock.now())),
  };
  const taken = await ctx.limiter.take(RATES.profileChange, caller.key);
  if (!taken.allowed) throw rateLimited(taken);
  return change;
}

function checkedName(text: string): string {
  const read = displayNameOf(text);
  if ("name" in read) return read.name;
  throw fail("invalid_display_name", { details: [{ path: "display_name", ...read.problem }] });
}

/**
 * Stores a change in the caller's transaction and publishes it after the commit, to everybody who may be showing the user.
 * A display name reserves nothing: a user may later take it as a username. Pages show both names.
 * @throws invalid_display_name
 */
export async function changeShown(
  ctx: AppContext,
  user: { id: number; username: string },
  change: ShownChange,
): Promise<void> {
  if (change.display_name != null) await checkLooks(ctx.db, user.id, change.display_name);
  const before = (await findShown(ctx.db, user.id)) ?? NOTHING;
  const row = { ...before, ...change };
  await putShown(ctx.db, user.id, row);
  await publishShown(ctx, user, factsOf(row, ctx.clock.now()));
}

/** Refuses a name that readers could take for somebody else's, or for a reserved one. The user's own may look like it. */
async function checkLooks(db: Db, userId: number, name: string): Promise<void> {
  const details = await impersonation(db, "display_name", name, userId);
  if (details !== null) throw fail("invalid_display_name", { details });
}

/** Removes what the user of a deleted account shows, in the transaction that closes it. */
export async function forgetShown(ctx: AppContext, user: { id: number; username: string }): Promise<void> {
  const shown = await findShown(ctx.db, user.id);
  await removeShown(ctx.db, user.id);
  if (shown !== null) await publishShown(ctx, user, { display_name: null, status: null });
}

/**
 * Removes a user's display name and status: users do it themselves, and moderators of a higher level, because names can
 * be as offensive as messages. Moderators' acts are audited.
 * @throws user_not_found, forbidden
 */
export async function clearShown(ctx: AppContext, caller: UserIdentity, username: string): Promise<void> {
  await transact(ctx, async (ctx) => {
    const user = await decide(ctx, caller, (ctx, caller) => clearableUser(ctx, caller, username));
    await forgetShown(ctx, user);
    if (caller.userId !== user.id) await audit(ctx, caller, "user_profile_clear", `user:${user.id}`);
  });
}

async function clearableUser(ctx: AppContext, caller: Identity, username: string): Promise<UserRow> {
  const user = await heldUserByName(ctx.db, username);
  if (user === null) throw fail("user_not_found");
  if (caller.kind === "user" && (caller.userId === user.id || hasLevel(caller, OWNER))) return user;
  const ranksAbove = caller.kind === "user" && (caller.adminLevel ?? 0) > (user.admin_level ?? 0);
  if (!ranksAbove || !hasLevel(caller, MODERATOR)) throw fail("forbidden");
  return user;
}

async function publishShown(ctx: AppContext, user: { id: number; username: string }, shown: Shown): Promise<void> {
  const topics = (await channelsOfUser(ctx.db, user.id)).map(channelTopic);
  const data = { username: user.username, ...shown };
  for (const topic of [userTopic(user.id), ...topics]) publishEvent(ctx, topic, "user:profile", data);
}
