import type { AdminUser } from "@parley/protocol/administration";
import { removeFactorsAsOperator } from "../accounts/factors/remove-factors.ts";
import { changeStanding, FOR_EVER, type StandingChange } from "../accounts/levels-and-suspensions.ts";
import { makeOperatorsLink, type ResetLink } from "../accounts/reset-links/reset-links.ts";
import { adminUser, usersPage } from "../administration/administration.service.ts";
import { COMMAND_LINE } from "../audit/audit.ts";
import { isoTime, typedTime } from "../base/iso-time.ts";
import { createAccount, createOwner } from "../channels/newcomers.ts";
import { systemClock } from "../clock.ts";
import { transact } from "../db/transact.ts";
import { MODERATOR, OWNER } from "../http/site-levels.ts";
import { eraseAsOperator } from "../privacy/erasure.service.ts";
import { type Invocation, print, UsageError } from "./command.ts";
import { askNewPassword } from "./password.ts";
import { addressOf } from "./running-server.ts";
import { openTool, openWritingTool } from "./tool.ts";

const PAGE = 200;
const LEVELS: Readonly<Record<string, number | null>> = { none: null, moderator: 1, administrator: 2 };

export async function userList(call: Invocation): Promise<number> {
  const { prefix, suspended, admins } = call.values;
  await using tool = await openTool(call);
  const filter = {
    prefix: typeof prefix === "string" ? prefix : undefined,
    suspended: suspended === true ? true : undefined,
    admin: admins === true ? true : undefined,
  };
  const users: AdminUser[] = [];
  for (let offset: number | null = 0; offset !== null; ) {
    const page: Awaited<ReturnType<typeof usersPage>> = await usersPage(tool.ctx, { ...filter, limit: PAGE, offset });
    users.push(...page.users);
    offset = page.next_offset;
  }
  // Only the server knows which users are online.
  const shown = users.map(({ is_online: _, ...user }) => user);
  print(call, { users: shown }, shown.length === 0 ? "No users match." : shown.map(userLine).join("\n"));
  return 0;
}

type Shown = Omit<AdminUser, "is_online">;

function userLine(user: Shown): string {
  const parts = [
    user.username,
    ...(user.email === null ? [] : [user.email]),
    ...(user.admin_level === null ? [] : [`level ${user.admin_level}`]),
    ...(user.suspended_until === null ? [] : [`suspended until ${user.suspended_until}`]),
    `since ${user.created_at}`,
  ];
  return parts.join(" · ");
}

export async function userSuspend(call: Invocation): Promise<number> {
  const { until } = call.values;
  const suspendedUntil = typeof until === "string" ? typedTime(until) : FOR_EVER;
  // An invalid date is NaN, so it fails this comparison too.
  if (!(suspendedUntil > systemClock.now())) {
    throw new UsageError("--until <time> must be a time in the future, such as 2030-01-31 or 2030-01-31T18:00:00Z.");
  }
  return change(
    call,
    { suspendedUntil },
    (user) => `${user.username} is suspended until ${user.suspended_until}. Sessions and sockets end within 2 seconds.`,
  );
}

export function userUnsuspend(call: Invocation): Promise<number> {
  return change(call, { suspendedUntil: null }, (user) => `${user.username} is not suspended.`);
}

export function userLevel(call: Invocation): Promise<number> {
  const level = LEVELS[call.positionals[1] ?? ""];
  if (level === undefined) throw new UsageError(`<level> must be one of ${Object.keys(LEVELS).join(", ")}.`);
  return change(call, { adminLevel: level }, (user) => `${user.username} now has ${levelName(user)}.`);
}

const levelName = ({ admin_level }: AdminUser): string =>
  admin_level === null
    ? "no level"
    : `level ${admin_level} (${admin_level === MODERATOR ? "moderator" : "administrator"})`;

async function change(call: Invocation, standing: StandingChange, words: (user: AdminUser) => string): Promise<number> {
  const [username = ""] = call.positionals;
  await using tool = await openWritingTool(call);
  const user = await adminUser(tool.ctx, await changeStanding(tool.ctx, COMMAND_LINE, username, standing));
  const { is_online: _, ...shown } = user;
  print(call, shown, words(user));
  return 0;
}

export async function userErase(call: Invocation): Promise<number> {
  const [username = ""] = call.positionals;
  // A server would not learn of it: its users are deleted in the page.
  await using tool = await openWritingTool(call, { isAlone: true });
  await eraseAsOperator(tool.ctx, username);
  print(
    call,
    { username },
    `${username} is deleted. When the server runs again, it removes the name from channels within minutes.`,
  );
  return 0;
}

export async function userCreate(call: Invocation): Promise<number> {
  const [username = ""] = call.positionals;
  const password = call.values.link === true ? null : await askNewPassword(call);
  await using tool = await openWritingTool(call);
  if (password === null) {
    // Together: nobody could log in to an account that has neither a password nor a link.
    const link = await transact(tool.ctx, async (ctx) => {
      await createAccount(ctx, username, null);
      return makeOperatorsLink(ctx, username, addressOf(ctx.config));
    });
    printLink(call, link, `${link.username} is created.`);
    return 0;
  }
  const made = await createAccount(tool.ctx, username, password);
  print(call, { username: made.username, reset_url: null, expires_at: null }, `${made.username} can log in now.`);
  return 0;
}

export async function userReset(call: Invocation): Promise<number> {
  const [username = ""] = call.positionals;
  await using tool = await openWritingTool(call);
  const link = await makeOperatorsLink(tool.ctx, username, addressOf(tool.config));
  printLink(call, link, "Sessions continue until the link is used.");
  return 0;
}

export async function userResetFactors(call: Invocation): Promise<number> {
  const [username = ""] = call.positionals;
  await using tool = await openWritingTool(call);
  const { username: name, ...removed } = await removeFactorsAsOperator(tool.ctx, username);
  const isEmpty = !removed.totp && removed.passkeys === 0;
  const had = `${removed.totp ? "an authenticator app and " : ""}${removed.passkeys} passkeys`;
  print(
    call,
    { username: name, removed },
    isEmpty ? `${name} had no second factor.` : `Removed ${had} of ${name}. The password alone logs in now.`,
  );
  return 0;
}

/** Prints a link: without a terminal, it is the only way to get it. */
function printLink(call: Invocation, link: ResetLink, text: string): void {
  const until = isoTime(link.expiresAt);
  print(
    call,
    { username: link.username, reset_url: link.url, expires_at: until },
    `${link.url}\n\nWith this link ${link.username} chooses a new password, once and until ${until}. Send it to nobody else. ${text}`,
  );
}

export async function ownerCreate(call: Invocation): Promise<number> {
  const [username = ""] = call.positionals;
  const password = await askNewPassword(call);
  await using tool = await openWritingTool(call);
  const { created, ownsGeneral, ...rest } = await createOwner(tool.ctx, username, password);
  const lines = [
    created
      ? `${rest.username} is now an owner. Log in with this name and the password.`
      : `${rest.username} already existed and is now an owner with this password. Earlier sessions are ended.`,
    ...(ownsGeneral ? ["The channel general now belongs to this account."] : []),
  ];
  print(call, { username: rest.username, admin_level: OWNER, created, owns_general: ownsGeneral }, lines.join("\n"));
  return 0;
}
