import { systemClock } from "../../../src/clock.ts";
import type { AppContext } from "../../../src/context.ts";
import { transact } from "../../../src/db/transact.ts";
import type { AgentIdentity, UserIdentity } from "../../../src/http/identity.ts";
import { publishControl } from "../../../src/realtime/control/control.ts";
import type { ControlKind, ControlSubjects } from "../../../src/realtime/control/control-subjects.ts";
import type { Handles } from "./objects.ts";

type Db = AppContext["db"];

const LATER_MS = 3_600_000;

/** A caller, and the objects of the call. */
export interface Concerned {
  caller: UserIdentity | AgentIdentity;
  handles: Handles;
}

/** Announces a change within a transaction. */
type Announcement = (ctx: AppContext, how: { isRevocation: boolean }) => void;

const told =
  <K extends ControlKind>(kind: K, subject: ControlSubjects[K]): Announcement =>
  (ctx, how) =>
    publishControl(ctx, kind, subject, how);

/** A right that ends and is given back, in the database alone. */
interface Change {
  end(db: Db, now: number): Promise<unknown>;
  giveBack(db: Db): Promise<unknown>;
  /** What is announced of it; nothing: every node reads it from the database each time. */
  told: readonly Announcement[];
  /** The refusal, if a new call without the right would be one of somebody else: of a guest. */
  code?: string;
}

/** A way to take a right away. Returns null if the call has nothing to do with it. */
type Ending = (concerned: Concerned) => Change | null;

const ofUsers =
  (change: (user: UserIdentity) => Change | null): Ending =>
  ({ caller }) =>
    caller.kind === "user" ? change(caller) : null;

const ofAgents =
  (change: (agent: AgentIdentity) => Change): Ending =>
  ({ caller }) =>
    caller.kind === "agent" ? change(caller) : null;

const inChannels =
  (change: (channelId: number, caller: UserIdentity | AgentIdentity) => Change | null): Ending =>
  ({ caller, handles: { channel_id } }) =>
    channel_id === undefined ? null : change(Number(channel_id), caller);

/** For acts on the account of another user. */
const onOthers =
  (change: (username: string) => Omit<Change, "told">): Ending =>
  ({ caller, handles: { username } }) =>
    username === undefined || (caller.kind === "user" && caller.username === username)
      ? null
      : { ...change(String(username)), told: [] };

const user = (db: Db, id: number) => db.updateTable("users").where("id", "=", id);
const named = (db: Db, username: string) => db.updateTable("users").where("username", "=", username);
const agent = (db: Db, id: number) => db.updateTable("agents").where("id", "=", id);

/** Removes the caller's place in a channel; returns what puts it back, unless a call that should not have made a new one. */
async function leave(db: Db, channelId: number, caller: UserIdentity | AgentIdentity): Promise<(db: Db) => unknown> {
  if (caller.kind === "user") {
    const gone = db.deleteFrom("channel_members").where("channel_id", "=", channelId);
    const rows = await gone.where("user_id", "=", caller.userId).returningAll().execute();
    return (db) =>
      rows.length > 0 &&
      db
        .insertInto("channel_members")
        .values(rows)
        .onConflict((oc) => oc.doNothing())
        .execute();
  }
  const gone = db.deleteFrom("channel_agents").where("channel_id", "=", channelId);
  const rows = await gone.where("agent_id", "=", caller.agentId).returningAll().execute();
  return (db) =>
    rows.length > 0 &&
    db
      .insertInto("channel_agents")
      .values(rows)
      .onConflict((oc) => oc.doNothing())
      .execute();
}

/** The caller loses their place in a channel, and something more. */
function removed(
  channelId: number,
  caller: UserIdentity | AgentIdentity,
  more: Pick<Change, "end" | "giveBack">,
): Change {
  let comeBack: ((db: Db) => unknown) | undefined;
  return {
    async end(db: Db, now: number) {
      comeBack = await leave(db, channelId, caller);
      await more.end(db, now);
    },
    async giveBack(db: Db) {
      await comeBack?.(db);
      await more.giveBack(db);
    },
    told: [
      told("access_ended", { channelId, member: caller.key }),
      told("membership_changed", { channelId, member: caller.key }),
    ],
  };
}

const nothing = { end: async () => {}, giveBack: async () => {} };

/** All rights that may end while a call is slow. */
const ENDINGS: Readonly<Record<string, Ending>> = {
  "the session ends": ofUsers(({ sessionId }) => ({
    end: (db) => db.deleteFrom("sessions").where("id", "=", sessionId).execute(),
    giveBack: async () => {},
    told: [told("session_ended", sessionId)],
    code: "session_required",
  })),
  "the user is suspended": ofUsers(({ userId }) => ({
    end: (db, now) =>
      user(db, userId)
        .set({ suspended_until: now + LATER_MS })
        .execute(),
    giveBack: (db) => user(db, userId).set({ suspended_until: null }).execute(),
    told: [told("user_suspended", userId)],
    code: "session_required",
  })),
  "the user loses their level": ofUsers(({ userId, adminLevel }) =>
    adminLevel === null
      ? null
      : {
          end: (db) => user(db, userId).set({ admin_level: null }).execute(),
          giveBack: (db) => user(db, userId).set({ admin_level: adminLevel }).execute(),
          told: [told("user_changed", userId)],
        },
  ),
  "the agent is paused": ofAgents(({ agentId }) => ({
    end: (db) => agent(db, agentId).set({ paused: 1 }).execute(),
    giveBack: (db) => agent(db, agentId).set({ paused: 0 }).execute(),
    told: [told("agent_changed", agentId)],
  })),
  "the key is revoked": ofAgents(({ keyId }) => ({
    end: (db, now) => db.updateTable("api_keys").set({ revoked_at: now }).where("id", "=", keyId).execute(),
    giveBack: (db) => db.updateTable("api_keys").set({ revoked_at: null }).where("id", "=", keyId).execute(),
    told: [told("key_revoked", String(keyId))],
  })),
  "the caller is removed from the channel": inChannels((id, caller) => removed(id, caller, nothing)),
  "the caller is banned from the channel": inChannels((id, caller) => {
    const { key } = caller;
    const ids = caller.kind === "user" ? { user_id: caller.userId } : { agent_id: caller.agentId };
    return removed(id, caller, {
      end: (db, now) => {
        const ban = { channel_id: id, member_key: key, user_id: null, agent_id: null, ...ids };
        return db
          .insertInto("channel_bans")
          .values({ ...ban, banned_by: "author", reason: null, until: null, created_at: now })
          .execute();
      },
      giveBack: (db) =>
        db.deleteFrom("channel_bans").where("channel_id", "=", id).where("member_key", "=", key).execute(),
    });
  }),
  "the caller is no admin of the channel any more": inChannels((id, caller) => {
    if (caller.kind === "agent") return null;
    const place = (db: Db) =>
      db.updateTable("channel_members").where("channel_id", "=", id).where("user_id", "=", caller.userId);
    return {
      end: (db) => place(db).set({ role: "member" }).where("role", "=", "admin").execute(),
      giveBack: (db) => place(db).set({ role: "admin" }).where("role", "=", "member").execute(),
      told: [told("membership_changed", { channelId: id, member: caller.key })],
    };
  }),
  "the channel is deleted": inChannels((id) => ({
    end: (db, now) => db.updateTable("channels").set({ deleted_at: now }).where("id", "=", id).execute(),
    giveBack: (db) => db.updateTable("channels").set({ deleted_at: null }).where("id", "=", id).execute(),
    told: [told("channel_changed", id)],
  })),
  "the other account becomes an owner": onOthers((username) => ({
    end: (db) => named(db, username).set({ admin_level: 3 }).execute(),
    giveBack: (db) => named(db, username).set({ admin_level: null }).execute(),
  })),
  "the other account is erased": onOthers((username) => ({
    end: (db, now) => named(db, username).set({ erased_at: now }).execute(),
    giveBack: (db) => named(db, username).set({ erased_at: null }).execute(),
  })),
  "the agent has another owner": ({ handles: { agent_id } }) =>
    agent_id === undefined
      ? null
      : {
          end: (db) => agent(db, Number(agent_id)).set({ owner_verified: 0 }).execute(),
          giveBack: (db) => agent(db, Number(agent_id)).set({ owner_verified: 1 }).execute(),
          told: [told("agent_changed", Number(agent_id))],
        },
};

/** A right of a caller, to be taken away and given back. */
export interface TakenRight {
  name: string;
  code?: string | undefined;
  /** Where only the database knows: as another process, or a node that is cut off, would end it. */
  endSilently(ctx: AppContext): Promise<void>;
  /** With its announcement, which all nodes have heard when it returns. */
  end(ctx: AppContext): Promise<void>;
  /** This node knows it when it returns. */
  giveBack(ctx: AppContext): Promise<void>;
}

/** The rights that this call may lose meanwhile. */
export function endingsOf(concerned: Concerned): TakenRight[] {
  return Object.entries(ENDINGS).flatMap(([name, ending]) => {
    const change = ending(concerned);
    if (change === null) return [];
    const inOne = (ctx: AppContext, act: (db: Db) => Promise<unknown>, tell?: { isRevocation: boolean }) =>
      transact(ctx, async (ctx) => {
        await act(ctx.db);
        if (tell !== undefined) for (const announce of change.told) announce(ctx, tell);
      });
    const end = (db: Db) => change.end(db, systemClock.now());
    return {
      name,
      code: change.code,
      endSilently: (ctx) => inOne(ctx, end),
      end: (ctx) => inOne(ctx, end, { isRevocation: true }),
      giveBack: (ctx) => inOne(ctx, change.giveBack, { isRevocation: false }),
    };
  });
}
