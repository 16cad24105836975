import type { Selectable, Updateable } from "kysely";
import type { Db } from "../../db/db.ts";
import type { WebhookDeliveriesTable, WebhooksTable } from "../../db/tables/webhooks.ts";

export type DeliveryRow = Selectable<WebhookDeliveriesTable>;

/** An event that a hook has read. */
export interface NewDelivery {
  event: string;
  source: number;
}

/** Stores deliveries in their order. One that exists, by the same round, is left as it is. */
export async function insertDeliveries(
  db: Db,
  of: { webhook_id: number; round: number },
  events: readonly NewDelivery[],
  now: number,
): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map((event) => ({
    ...of,
    ...event,
    status: "waiting" as const,
    due_at: now,
    created_at: now,
    result: null,
    response_status: null,
    response_body: null,
    duration_ms: null,
    done_at: null,
  }));
  await db
    .insertInto("webhook_deliveries")
    .values(rows)
    .onConflict((conflict) => conflict.columns(["webhook_id", "round", "source", "event"]).doNothing())
    .execute();
}

export async function countWaiting(db: Db, hookId: number): Promise<number> {
  const row = await db
    .selectFrom("webhook_deliveries")
    .select((eb) => eb.fn.countAll<number | string>().as("count"))
    .where("webhook_id", "=", hookId)
    .where("status", "=", "waiting")
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

export const findDelivery = (db: Db, hookId: number, id: number): Promise<DeliveryRow | undefined> =>
  db
    .selectFrom("webhook_deliveries")
    .selectAll()
    .where("id", "=", id)
    .where("webhook_id", "=", hookId)
    .executeTakeFirst();

export const updateDelivery = (
  db: Db,
  id: number,
  change: Updateable<WebhookDeliveriesTable>,
): Promise<DeliveryRow | undefined> =>
  db.updateTable("webhook_deliveries").set(change).where("id", "=", id).returningAll().executeTakeFirst();

/** Returns a hook's deliveries, newest first. */
export function listDeliveries(
  db: Db,
  hookId: number,
  filter: { status: DeliveryRow["status"] | undefined; before: number | undefined },
  limit: number,
): Promise<DeliveryRow[]> {
  let query = db.selectFrom("webhook_deliveries").selectAll().where("webhook_id", "=", hookId);
  if (filter.status !== undefined) query = query.where("status", "=", filter.status);
  if (filter.before !== undefined) query = query.where("id", "<", filter.before);
  return query.orderBy("id", "desc").limit(limit).execute();
}

/** A hook that may have something to send, with what decides whether it gets a lane. */
export interface DueHook extends Pick<Selectable<WebhooksTable>, "id" | "url" | "agent_id" | "created_by_user"> {
  /** The user whom the hook's agent belongs to; null: nobody, or it is not verified. */
  agent_owner: number | null;
  isFirst: boolean;
}

/** Returns the hooks that may have something to send now, by whether it is a first try. */
export async function hooksDue(db: Db, now: number): Promise<DueHook[]> {
  const due = (isFirst: boolean) =>
    db
      .selectFrom("webhooks")
      .leftJoin("channels", "channels.id", "webhooks.channel_id")
      .leftJoin("agents", (join) =>
        join.onRef("agents.id", "=", "webhooks.agent_id").on("agents.owner_verified", "=", 1),
      )
      .select(["webhooks.id", "webhooks.url", "webhooks.agent_id", "webhooks.created_by_user"])
      .select("agents.owner_user_id as agent_owner")
      .where("webhooks.status", "<>", "disabled")
      .where("channels.deleted_at", "is", null)
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom("webhook_deliveries as d")
            .select("d.id")
            .whereRef("d.webhook_id", "=", "webhooks.id")
            .where("d.status", "=", "waiting")
            .where("d.tries", isFirst ? "=" : ">", 0)
            .where("d.due_at", "<=", now),
        ),
      )
      .execute();
  const [first, again] = [await due(true), await due(false)];
  return [...first.map((hook) => ({ ...hook, isFirst: true })), ...again.map((hook) => ({ ...hook, isFirst: false }))];
}

/** Returns the next deliveries of a hook: first tries in the order of their events, others as they are due. */
export function nextDeliveries(
  db: Db,
  hookId: number,
  { isFirst, now, events }: { isFirst: boolean; now: number; events: readonly string[] | null },
  limit: number,
): Promise<DeliveryRow[]> {
  let query = db
    .selectFrom("webhook_deliveries")
    .selectAll()
    .where("webhook_id", "=", hookId)
    .where("status", "=", "waiting")
    .where("tries", isFirst ? "=" : ">", 0);
  if (events !== null) query = query.where("event", "in", events);
  query = isFirst ? query.orderBy("id") : query.where("due_at", "<=", now).orderBy("due_at");
  return query.limit(limit).execute();
}

/** Takes a delivery for one try until `until`. Returns false if another node has it, or if it was tried meanwhile. */
export async function claimDelivery(
  db: Db,
  { id, tries }: Pick<DeliveryRow, "id" | "tries">,
  { now, until }: { now: number; until: number },
): Promise<boolean> {
  const taken = await db
    .updateTable("webhook_deliveries")
    .set({ claimed_until: until })
    .where("id", "=", id)
    .where("status", "=", "waiting")
    .where("tries", "=", tries)
    .where("due_at", "<=", now)
    .where("claimed_until", "<=", now)
    .executeTakeFirst();
  return Number(taken.numUpdatedRows) === 1;
}

/** Ends all claims, when no other node can have one. */
export async function endClaims(db: Db): Promise<void> {
  await db.updateTable("webhook_deliveries").set({ claimed_until: 0 }).where("claimed_until", ">", 0).execute();
}

/** Deletes the waiting deliveries of events after `after`, which a replay makes again. */
export async function deleteWaitingAfter(db: Db, hookId: number, after: number): Promise<void> {
  await db
    .deleteFrom("webhook_deliveries")
    .where("webhook_id", "=", hookId)
    .where("status", "=", "waiting")
    .where("source", ">", after)
    .execute();
}

/** Returns a source for a test, which no other delivery of the hook has. */
export async function nextTestSource(db: Db, hookId: number): Promise<number> {
  const row = await db
    .selectFrom("webhook_deliveries")
    .select((eb) => eb.fn.min("source").as("lowest"))
    .where("webhook_id", "=", hookId)
    .executeTakeFirst();
  return Math.min(0, Number(row?.lowest ?? 0)) - 1;
}

/** Deletes deliveries that ended before a time. Returns how many. */
export async function deleteDone(db: Db, status: DeliveryRow["status"], before: number): Promise<void> {
  await db
    .deleteFrom("webhook_deliveries")
    .where("done_at", "is not", null)
    .where("done_at", "<", before)
    .where("status", "=", status)
    .execute();
}

/** Deletes what a hook has delivered, except the newest `keep`. */
export async function deleteDeliveredBeyond(db: Db, hookId: number, keep: number): Promise<void> {
  const first = await db
    .selectFrom("webhook_deliveries")
    .select("id")
    .where("webhook_id", "=", hookId)
    .where("status", "=", "delivered")
    .orderBy("id", "desc")
    .offset(keep)
    .limit(1)
    .executeTakeFirst();
  if (first === undefined) return;
  await db
    .deleteFrom("webhook_deliveries")
    .where("webhook_id", "=", hookId)
    .where("status", "=", "delivered")
    .where("id", "<=", first.id)
    .execute();
}

export const allHookIds = async (db: Db): Promise<number[]> =>
  (await db.selectFrom("webhooks").select("id").orderBy("id").execute()).map(({ id }) => id);

/** Ends the deliveries that were due at a time as `dead`, with the result `restored`. Returns how many each hook had. */
export async function endDeliveriesUntil(db: Db, until: number, now: number): Promise<Map<number, number>> {
  const ended = await db
    .updateTable("webhook_deliveries")
    .set({ status: "dead", result: "restored", claimed_until: 0, done_at: now })
    .where("status", "=", "waiting")
    .where("due_at", "<=", until)
    .returning("webhook_id")
    .execute();
  const counts = new Map<number, number>();
  for (const { webhook_id } of ended) counts.set(webhook_id, (counts.get(webhook_id) ?? 0) + 1);
  return counts;
}
