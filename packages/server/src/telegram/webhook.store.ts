import type { Db } from "../db/db.ts";
import type { ItemKind } from "../messages/inbox/inbox-rows.ts";

/** A webhook of a bot. */
export interface BotWebhook {
  url: string;
  key: string;
  secret: string | null;
  failures: number;
  error: string | null;
  errorAt: number | null;
}

/** Returns the webhook of a bot; null: it has none. */
export async function webhookOf(db: Db, botId: number): Promise<BotWebhook | null> {
  const row = await db.selectFrom("telegram_bots").selectAll().where("id", "=", botId).executeTakeFirst();
  if (row?.webhook_url == null || row.webhook_key === null) return null;
  return {
    url: row.webhook_url,
    key: row.webhook_key,
    secret: row.webhook_secret,
    failures: row.webhook_failures,
    error: row.webhook_error,
    errorAt: row.webhook_error_at,
  };
}

/** Sets or removes the webhook of a bot, and forgets what failed before. */
export async function storeWebhook(
  db: Db,
  botId: number,
  webhook: { url: string; key: string; secret: string | null } | null,
): Promise<void> {
  await db
    .updateTable("telegram_bots")
    .set({
      webhook_url: webhook?.url ?? null,
      webhook_key: webhook?.key ?? null,
      webhook_secret: webhook?.secret ?? null,
      webhook_due_at: 0,
      webhook_claimed_until: 0,
      webhook_failures: 0,
      webhook_error: null,
      webhook_error_at: null,
    })
    .where("id", "=", botId)
    .execute();
}

/**
 * Returns the bots with a webhook that may be sent something now, and for which items of these kinds wait. It may be that
 * they do not want them.
 */
export async function webhooksDue(db: Db, now: number, kinds: readonly ItemKind[]): Promise<number[]> {
  const rows = await db
    .selectFrom("telegram_bots")
    .innerJoin("names", "names.name_key", "telegram_bots.name_key")
    .select("telegram_bots.id")
    .where("webhook_url", "is not", null)
    .where("webhook_due_at", "<=", now)
    .where("webhook_claimed_until", "<=", now)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom("mentions")
          .select("mentions.id")
          .whereRef("mentions.agent_id", "=", "names.agent_id")
          .whereRef("mentions.agent_name", "=", "names.name")
          .where("mentions.removed_at", "is", null)
          .where("mentions.kind", "in", kinds),
      ),
    )
    .orderBy("webhook_due_at")
    .execute();
  return rows.map(({ id }) => id);
}

/** Takes a bot's webhook for this node until then. Returns false if another node has it, or it is not due. */
export async function claimWebhook(db: Db, botId: number, now: number, until: number): Promise<boolean> {
  const result = await db
    .updateTable("telegram_bots")
    .set({ webhook_claimed_until: until })
    .where("id", "=", botId)
    .where("webhook_url", "is not", null)
    .where("webhook_claimed_until", "<=", now)
    .where("webhook_due_at", "<=", now)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Notes how a claimed webhook ended, and gives it back. */
export async function releaseWebhook(
  db: Db,
  botId: number,
  failed: { error: string; at: number; dueAt: number } | null,
): Promise<void> {
  await db
    .updateTable("telegram_bots")
    .set((eb) => ({
      webhook_claimed_until: 0,
      webhook_due_at: failed?.dueAt ?? 0,
      webhook_failures: failed === null ? 0 : eb("webhook_failures", "+", 1),
      ...(failed === null ? {} : { webhook_error: failed.error, webhook_error_at: failed.at }),
    }))
    .where("id", "=", botId)
    .execute();
}
