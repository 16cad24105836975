import { counted } from "../../base/counted.ts";
import { EXAMPLES, type OverdueStep } from "../../overdue.ts";
import { endDeliveriesUntil } from "./deliveries.store.ts";
import { findHook, hooksBehind, newestItem, unread, updateHook } from "./hooks.store.ts";

/**
 * Ends the deliveries of webhooks that were due, and moves each hook to the end of its log: its deliveries of those
 * events were made and sent in the history that is undone. A replay sends them all the same (protocol §12.5).
 */
export const endWebhooks: OverdueStep = async (db, { until, now }) => {
  const counts = await endDeliveriesUntil(db, until, now);
  for (const id of await hooksBehind(db)) {
    const hook = await findHook(db, id);
    if (hook === undefined) continue;
    const newest =
      hook.agent_id === null ? hook.position + (await unread(db, hook)) : await newestItem(db, hook.agent_id);
    counts.set(id, (counts.get(id) ?? 0) + newest - hook.position);
    await updateHook(db, id, { position: newest });
  }
  const examples: string[] = [];
  for (const [id, count] of [...counts].slice(0, EXAMPLES)) {
    const hook = await findHook(db, id);
    examples.push(`webhook ${id} (${hostOf(hook?.url ?? "")}): ${counted(count, "event")}`);
  }
  return { what: "webhook event", count: [...counts.values()].reduce((sum, count) => sum + count, 0), examples };
};

/** The rest of an address may be a secret. */
const hostOf = (url: string): string => URL.parse(url)?.hostname ?? "";
