import { insertUser } from "../../../src/accounts/accounts.store.ts";
import { makeClaimable } from "../../../src/accounts/claimable/claimable.ts";
import { newInviteCode } from "../../../src/accounts/invitations/invite-code.ts";
import { FOR_EVER } from "../../../src/accounts/levels-and-suspensions.ts";
import { claimName } from "../../../src/accounts/names/names.ts";
import { putShown } from "../../../src/accounts/shown/shown.store.ts";
import { NO_STATUS } from "../../../src/accounts/shown/status.ts";
import { insertAgent } from "../../../src/agents/keys/keys.store.ts";
import { insertMember } from "../../../src/channels/members/members.store.ts";
import type { AppContext } from "../../../src/context.ts";
import type { ImportsTable } from "../../../src/db/tables/imports.ts";
import { transact } from "../../../src/db/transact.ts";
import { type ImportCounts, noCounts } from "../../../src/imports/counts.ts";
import { makeImportLinks } from "../../../src/imports/people/import-links.ts";
import type { StagedLeftOut } from "../../../src/imports/stage.ts";

/** Makes an import without messages, as it is when it is open, and returns its id. */
export async function makeImport(
  ctx: AppContext,
  {
    status = "done",
    counts = {},
    leftOut = [],
  }: { status?: ImportsTable["status"]; counts?: Partial<ImportCounts>; leftOut?: readonly StagedLeftOut[] } = {},
): Promise<number> {
  const now = ctx.clock.now();
  const { id } = await ctx.db
    .insertInto("imports")
    .values({
      status,
      source: "slack:T0123",
      workspace: "Harbour",
      fingerprint: "fingerprint",
      salt: "salt",
      place: 0,
      counts: JSON.stringify({ ...noCounts(), ...counts }),
      left_out: leftOut.length === 0 ? null : JSON.stringify(leftOut),
      created_at: now,
      opened_at: status === "done" ? now : null,
      undone_at: null,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

/** A person of an import. */
export interface Imported {
  username: string;
  displayName?: string;
  email?: string;
  isSuspended?: boolean;
  /** Ids of the channels that the person is a member of. */
  channels?: readonly number[];
}

/** Makes the account of a person, as an import does, and returns its id. */
export function importPerson(ctx: AppContext, importId: number, person: Imported): Promise<number> {
  const { username, displayName, email = null, isSuspended = false, channels = [] } = person;
  return transact(ctx, async (ctx) => {
    const now = ctx.clock.now();
    const user = await insertUser(ctx.db, {
      username,
      email,
      password_hash: null,
      admin_level: null,
      invite_code: newInviteCode(ctx.clock),
      invited_by: null,
      suspended_until: isSuspended ? FOR_EVER : null,
      created_at: now,
      updated_at: now,
    });
    if (user === null || !(await claimName(ctx.db, username, { kind: "user", userId: user.id })))
      throw new Error(`The name ${username} is taken.`);
    if (displayName !== undefined) await putShown(ctx.db, user.id, { display_name: displayName, ...NO_STATUS });
    await makeClaimable(ctx, importId, [user.id]);
    await mapped(ctx, importId, "user", user.id);
    for (const channelId of channels)
      await insertMember(ctx.db, { channelId, userId: user.id, role: "member", joinedAt: now });
    return user.id;
  });
}

/** Makes an agent without a key, which is paused, as an import does, and returns its id. */
export function importAgent(ctx: AppContext, importId: number, name: string): Promise<number> {
  return transact(ctx, async (ctx) => {
    const agentId = await insertAgent(ctx.db, null, false, ctx.clock.now());
    await ctx.db.updateTable("agents").set({ paused: 1, paused_by_staff: 1 }).where("id", "=", agentId).execute();
    if (!(await claimName(ctx.db, name, { kind: "agent", agentId }))) throw new Error(`The name ${name} is taken.`);
    await mapped(ctx, importId, "agent", agentId);
    return agentId;
  });
}

async function mapped(ctx: AppContext, importId: number, kind: "user" | "agent", id: number): Promise<void> {
  const item = { source: "slack:T0123", kind, source_id: `U${id}`, parley_id: id, content_hash: null };
  await ctx.db
    .insertInto("import_items")
    .values({ ...item, import_id: importId })
    .execute();
}

/** Makes the links of an import, and returns the tokens by username. */
export async function linksOf(ctx: AppContext, importId: number, days = 14): Promise<Map<string, string>> {
  const made = await makeImportLinks(ctx, importId, { days, origin: "https://chat.example.org" });
  const tokens = new Map<string, string>();
  for await (const batch of made.batches)
    for (const { username, url } of batch) tokens.set(username, url.split("#")[1] ?? "");
  return tokens;
}
