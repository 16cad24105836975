import type { AppContext } from "../../context.ts";
import type { Span } from "../../event-log/span.ts";
import type { NewItem } from "../../messages/inbox/inbox-rows.ts";
import { type EditedRow, type ExistingItem, editedIn, itemsOfMessages } from "./kind-spans.store.ts";
import { mayRead, type Scene } from "./scene.ts";

/** Kinds of items with which an agent was sent a message. */
const SENT = new Set(["mention", "direct", "reply", "command", "message"]);
/** Items are known so long after their acknowledgement. */
const KNOWN_MS = 24 * 60 * 60_000;

/** What is stored of an edit: the time that the message had. It tells an edit from any later change of the message. */
interface StoredEdit {
  edited_at: number;
}

const editTimeOf = ({ notice }: ExistingItem): number =>
  (JSON.parse(notice ?? "{}") as Partial<StoredEdit>).edited_at ?? 0;

/**
 * Returns the items of messages that were edited in the spans, for the names that were sent these messages, and pending
 * items of earlier edits that they replace.
 */
export async function editItems(
  ctx: AppContext,
  scene: Scene,
  spans: readonly Span[],
): Promise<{ items: NewItem[]; replaced: number[] }> {
  const items: NewItem[] = [];
  const replaced: number[] = [];
  if (scene.askers.wanting("edit").length === 0) return { items, replaced };
  const now = ctx.clock.now();
  const edited = (await editedIn(ctx.db, spans)).filter(({ edited_at }) => edited_at > now - KNOWN_MS);
  const ids = edited.map(({ id }) => id);
  const byMessage = Map.groupBy(await itemsOfMessages(ctx.db, ids), ({ message_id }) => message_id);
  for (const row of edited) {
    for (const own of Map.groupBy(byMessage.get(row.id) ?? [], nameOf).values()) {
      const [first] = own;
      const asker = first && scene.askers.find(first.agent_id, first.agent_name, "edit");
      if (asker === undefined || asker.agentId === row.agent_id) continue;
      if (!mayRead(scene, row.channel_id, asker) || !isNews(row, own)) continue;
      replaced.push(...own.flatMap(({ id, kind, removed_at }) => (kind === "edit" && removed_at === null ? [id] : [])));
      items.push({
        agent_id: asker.agentId,
        agent_name: asker.agentName,
        channel_id: row.channel_id,
        message_id: row.id,
        kind: "edit",
        notice: JSON.stringify({ edited_at: row.edited_at } satisfies StoredEdit),
        created_at: now,
      });
    }
  }
  return { items, replaced };
}

const nameOf = ({ agent_id, agent_name }: ExistingItem): string => `${agent_id} ${agent_name}`;

/** True if the name had the message before this edit, which may itself have mentioned it, and no item of the edit. */
function isNews({ edited_at }: EditedRow, items: readonly ExistingItem[]): boolean {
  const wasSent = items.some(({ kind, created_at }) => SENT.has(kind) && created_at !== edited_at);
  return wasSent && !items.some((item) => item.kind === "edit" && editTimeOf(item) === edited_at);
}
