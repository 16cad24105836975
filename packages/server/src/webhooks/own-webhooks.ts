import { isoTimeOrNull } from "../base/iso-time.ts";
import type { AppContext } from "../context.ts";
import { madeBy } from "./outgoing/hooks.store.ts";

/** Returns the webhooks that a user made, for the copy of their data. Secrets are not in it. */
export async function ownWebhooks(ctx: AppContext, userId: number): Promise<object[]> {
  return (await madeBy(ctx.db, userId)).map((row) => ({
    webhook_id: row.id,
    channel_id: row.channel_id,
    agent_id: row.agent_id,
    url: row.url,
    events: JSON.parse(row.events) as string[],
    description: row.description,
    status: row.status,
    created_at: isoTimeOrNull(row.created_at),
    last_success_at: isoTimeOrNull(row.last_success_at),
    last_failure_at: isoTimeOrNull(row.last_failure_at),
  }));
}
