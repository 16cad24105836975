import type { ExpressionBuilder, Insertable, Selectable } from "kysely";
import type { Db } from "../../db/db.ts";
import type { AgentSessionsTable } from "../../db/tables/agent-sessions.ts";
import type { AgentsTable } from "../../db/tables/agents.ts";
import type { Tables } from "../../db/tables/tables.ts";

export type SessionRow = Selectable<AgentSessionsTable>;

/** A session with the newest open card of its agent in its thread. */
export interface SessionWithCard extends SessionRow {
  card_id: number | null;
  asked_at: number | null;
}

/** The states of the wire, of which the server derives two. */
export type DerivedState = SessionRow["state"] | "waiting" | "gone";

/** The newest open card of a session's agent: in the thread, or as a reply to its root. */
const openCard = (eb: ExpressionBuilder<Tables & { s: AgentSessionsTable }, "s">) =>
  eb
    .selectFrom("interactions as i")
    .innerJoin("messages as m", "m.id", "i.message_id")
    .select((of) => of.fn.max("i.message_id").as("card"))
    .whereRef("i.agent_id", "=", "s.agent_id")
    .whereRef("i.channel_id", "=", "s.channel_id")
    .where("i.status", "=", "open")
    .where("i.cancel_reason", "is", null)
    .where("s.state", "=", "working")
    .where((of) =>
      of.or([
        of("m.thread_root_id", "=", of.ref("s.thread_root_id")),
        of.and([of("m.thread_root_id", "is", null), of("m.reply_to_id", "=", of.ref("s.thread_root_id"))]),
      ]),
    );

const sessions = (db: Db) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom("agent_sessions as s")
        .selectAll("s")
        .select((of) => openCard(of).as("card_id"))
        .as("w"),
    )
    .leftJoin("interactions as asked", "asked.message_id", "w.card_id")
    .selectAll("w")
    .select("asked.created_at as asked_at");

/** The channels whose sessions are listed. */
export type Listed =
  | { channelId: number }
  /** The channels that a user is a member of. */
  | { userId: number }
  /** The channels that an agent was added to, and its own sessions everywhere. `only`: those that its key may see. */
  | { agentId: number; only: readonly number[] | null };

/** Returns sessions, that which changed last first. */
export function listSessions(
  db: Db,
  listed: Listed,
  states: readonly DerivedState[],
  { limit, offset }: { limit: number; offset: number },
): Promise<SessionWithCard[]> {
  let query = sessions(db).orderBy("w.since", "desc").orderBy("w.id", "desc").limit(limit).offset(offset);
  if ("channelId" in listed) query = query.where("w.channel_id", "=", listed.channelId);
  else if ("userId" in listed)
    query = query.where("w.channel_id", "in", (eb) =>
      eb.selectFrom("channel_members").select("channel_id").where("user_id", "=", listed.userId),
    );
  else {
    query = query.where((eb) =>
      eb.or([
        eb("w.agent_id", "=", listed.agentId),
        eb(
          "w.channel_id",
          "in",
          eb.selectFrom("channel_agents").select("channel_agents.channel_id").where("agent_id", "=", listed.agentId),
        ),
      ]),
    );
    if (listed.only !== null) query = query.where("w.channel_id", "in", listed.only);
  }
  if (states.length === 0) return query.execute();
  return query
    .where((eb) =>
      eb.or(
        states.map((state) => {
          const works = eb("w.state", "=", "working");
          if (state === "gone") return eb.and([works, eb("w.gone_at", "is not", null)]);
          const isWaiting = eb("w.card_id", "is not", null);
          if (state === "waiting") return eb.and([works, eb("w.gone_at", "is", null), isWaiting]);
          if (state === "working") return eb.and([works, eb("w.gone_at", "is", null), eb("w.card_id", "is", null)]);
          return eb("w.state", "=", state);
        }),
      ),
    )
    .execute();
}

/** Returns the session of an agent in a thread. */
export function findSession(db: Db, agentId: number, threadRootId: number): Promise<SessionWithCard | undefined> {
  return sessions(db).where("w.agent_id", "=", agentId).where("w.thread_root_id", "=", threadRootId).executeTakeFirst();
}

/** Returns sessions by their ids. */
export async function findSessions(db: Db, ids: readonly number[]): Promise<SessionWithCard[]> {
  return ids.length === 0 ? [] : sessions(db).where("w.id", "in", ids).execute();
}

/** Writes a session in the place of the one before it. */
export async function storeSession(db: Db, row: Insertable<AgentSessionsTable>): Promise<void> {
  const { agent_name, title, state, since, gone_at } = row;
  await db
    .insertInto("agent_sessions")
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(["thread_root_id", "agent_id"]).doUpdateSet({ agent_name, title, state, since, gone_at }),
    )
    .execute();
}

/** Counts an agent's open sessions. Those that are gone are not open: an agent that crashed must be able to begin. */
export async function countOpen(db: Db, agentId: number): Promise<number> {
  const row = await db
    .selectFrom("agent_sessions")
    .select((eb) => eb.fn.countAll<number | string>().as("n"))
    .where("agent_id", "=", agentId)
    .where("state", "=", "working")
    .where("gone_at", "is", null)
    .executeTakeFirstOrThrow();
  return Number(row.n);
}

/** Deletes an agent's sessions that are not open, except the newest. */
export async function keepNewest(db: Db, agentId: number, kept: number): Promise<void> {
  const closed = db
    .selectFrom("agent_sessions")
    .select("id")
    .where("agent_id", "=", agentId)
    .where((eb) => eb.or([eb("state", "!=", "working"), eb("gone_at", "is not", null)]))
    .orderBy("since", "desc")
    .orderBy("id", "desc");
  const old = await closed.offset(kept).limit(100).execute();
  const ids = old.map(({ id }) => id);
  if (ids.length > 0) await db.deleteFrom("agent_sessions").where("id", "in", ids).execute();
}

/** A time of a connection is stored to the second: it may be before a session that it had. */
const GRAIN_MS = 1_000;

/**
 * True for a session whose agent is away (`agents.away_at`) since after the session began, is paused, or has no accepted
 * key.
 */
const isAway =
  (now: number) => (eb: ExpressionBuilder<Tables & { s: AgentSessionsTable; a: AgentsTable }, "s" | "a">) =>
    eb.or([
      eb(eb(eb.fn.coalesce("a.away_at", eb.lit(0)), "+", GRAIN_MS), ">=", eb.ref("s.since")),
      eb("a.paused", "=", 1),
      eb.not(
        eb.exists(
          eb
            .selectFrom("api_keys as k")
            .select("k.id")
            .whereRef("k.agent_id", "=", "s.agent_id")
            .where((key) => key.or([key("k.revoked_at", "is", null), key("k.revoked_at", ">", now)])),
        ),
      ),
    ]);

const working = (db: Db) =>
  db
    .selectFrom("agent_sessions as s")
    .innerJoin("agents as a", "a.id", "s.agent_id")
    .select(["s.id", "a.away_at"])
    .where("s.state", "=", "working")
    .orderBy("s.id");

/** Ends the absence of up to `limit` sessions. Returns their ids. */
export async function markBack(db: Db, now: number, limit: number): Promise<number[]> {
  const back = await working(db)
    .where("s.gone_at", "is not", null)
    .where((eb) => eb.not(isAway(now)(eb)))
    .limit(limit)
    .execute();
  const ids = back.map(({ id }) => id);
  if (ids.length > 0)
    await db
      .updateTable("agent_sessions")
      .set({ gone_at: null, since: now })
      .where("id", "in", ids)
      .where("state", "=", "working")
      .execute();
  return ids;
}

/** Marks up to `limit` sessions whose agents are away. Returns their ids. */
export async function markGone(db: Db, now: number, limit: number): Promise<number[]> {
  const away = await working(db).where("s.gone_at", "is", null).where(isAway(now)).limit(limit).execute();
  for (const { id, away_at } of away)
    await db
      .updateTable("agent_sessions")
      .set({ gone_at: away_at ?? now })
      .where("id", "=", id)
      .where("state", "=", "working")
      .execute();
  return away.map(({ id }) => id);
}

/** Fails what an agent does in a channel that it was removed from. Returns the ids. */
export async function failIn(db: Db, channelId: number, agentId: number, now: number): Promise<number[]> {
  const rows = await db
    .updateTable("agent_sessions")
    .set({ state: "failed", since: now, gone_at: null })
    .where("state", "=", "working")
    .where("channel_id", "=", channelId)
    .where("agent_id", "=", agentId)
    .returning("id")
    .execute();
  return rows.map(({ id }) => id);
}

/** Deletes the sessions in the threads of these messages. */
export async function deleteOfMessages(db: Db, messageIds: readonly number[]): Promise<void> {
  await db.deleteFrom("agent_sessions").where("thread_root_id", "in", messageIds).execute();
}

/** Deletes the sessions in purged channels. */
export async function deleteOfPurged(db: Db): Promise<void> {
  await db
    .deleteFrom("agent_sessions")
    .where("channel_id", "in", (eb) =>
      eb.selectFrom("channels").select("channels.id").where("channels.purged_at", "is not", null),
    )
    .execute();
}

const agentsOf = (eb: ExpressionBuilder<Tables, "agent_sessions">, userId: number) =>
  eb.selectFrom("agents").select("agents.id").where("owner_user_id", "=", userId).where("owner_verified", "=", 1);

/** Deletes the sessions of the agents of which the user is the verified owner. */
export async function deleteOfOwner(db: Db, userId: number): Promise<void> {
  await db
    .deleteFrom("agent_sessions")
    .where("agent_id", "in", (eb) => agentsOf(eb, userId))
    .execute();
}

/** Returns the sessions of the agents of which the user is the verified owner. */
export function sessionsOfOwner(db: Db, userId: number) {
  return db
    .selectFrom("agent_sessions")
    .select(["agent_id", "agent_name", "channel_id", "thread_root_id", "title", "state", "since"])
    .where("agent_id", "in", (eb) => agentsOf(eb, userId))
    .orderBy("id")
    .execute();
}
