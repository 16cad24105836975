import { expect } from "bun:test";
import { insertUser } from "../../src/accounts/accounts.store.ts";
import { claimName } from "../../src/accounts/names/names.ts";
import type { AppContext } from "../../src/context.ts";
import { callers } from "../../src/http/acts/act.ts";
import type { AgentIdentity, UserIdentity } from "../../src/http/identity.ts";
import { onControl } from "../../src/realtime/control/control.ts";
import { subjectText } from "../../src/realtime/control/control-subjects.ts";

/** Creates a user without a password and starts a session for them. */
export async function user(ctx: AppContext, username: string, adminLevel: number | null = null): Promise<UserIdentity> {
  const now = ctx.clock.now();
  const row = await insertUser(ctx.db, {
    username,
    email: null,
    password_hash: null,
    evm_address: null,
    sol_address: null,
    admin_level: adminLevel,
    invite_code: `code-${username}`,
    invited_by: null,
    suspended_until: null,
    created_at: now,
    updated_at: now,
  });
  if (row === null) throw new Error(`${username} is taken`);
  await claimName(ctx.db, username, { kind: "user", userId: row.id });
  return {
    kind: "user",
    sessionId: row.id,
    userId: row.id,
    key: `u${row.id}`,
    username,
    adminLevel,
    honorLevel: 0,
    authenticatedAt: now,
    lacksFactor: false,
  };
}

/** Has acts that are decided again go on with their callers as they are: here nobody's session or key ends. */
export const keepCallers = (ctx: AppContext): void =>
  callers(ctx, { user: async (_, caller) => caller, agent: async (_, caller) => caller });

/** Creates an agent with this name. */
export async function agent(ctx: AppContext, name: string): Promise<AgentIdentity> {
  const row = await ctx.db
    .insertInto("agents")
    .values({
      owner_user_id: null,
      owner_verified: 0,
      paused: 0,
      last_seen_at: null,
      dropped_mentions: 0,
      created_at: ctx.clock.now(),
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  await claimName(ctx.db, name, { kind: "agent", agentId: row.id });
  return { kind: "agent", keyId: "key", agentId: row.id, key: `a${row.id}` };
}

/** Returns a matcher for a refusal with this code. */
export const code = (code: string) => expect.objectContaining({ code });

/** Collects the control announcements, in order. */
export function announced(ctx: AppContext): string[] {
  const heard: string[] = [];
  for (const kind of ["channel_changed", "membership_changed", "access_ended"] as const) {
    onControl(ctx, kind, (subject) => heard.push(`${kind} ${subjectText(kind, subject)}`));
  }
  return heard;
}

/** Returns the durable events of a channel, except its messages. */
export async function eventsOf(
  ctx: AppContext,
  channelId: number,
): Promise<{ seq: number; event: string; data: unknown }[]> {
  const rows = await ctx.db
    .selectFrom("channel_events")
    .select(["seq", "event", "data"])
    .where("channel_id", "=", channelId)
    .orderBy("seq")
    .execute();
  return rows.map((row) => ({ ...row, data: JSON.parse(row.data) }));
}
