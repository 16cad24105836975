import { nameKey } from "../accounts/names.ts";
import type { AppContext } from "../context.ts";
import { searchIndex } from "../db/search-index.ts";
import type { IndexedRow } from "./search.store.ts";
import { indexedWords } from "./words.ts";

/** Tokens of what is no text. They have a mark which no word has. */
export const channelToken = (channelId: number): string => `#${channelId}`;
/** People by their id, so that the index holds no name; agents by the name they spoke under. */
export const userToken = (userId: number): string => `@${userId}`;
export const agentToken = (agentName: string): string => `@a.${nameKey(agentName)}`;

/**
 * Makes the index say what these messages say now. Call it in the transaction that changes one; new ones are indexed in the background.
 * Deleted ones and those without a word are taken out.
 */
export async function indexMessages(ctx: AppContext, rows: readonly IndexedRow[]): Promise<void> {
  const put: { id: number; tokens: string[] }[] = [];
  const remove: number[] = [];
  for (const row of rows) {
    const words = row.deleted_at === null ? indexedWords(row.content) : [];
    if (words.length === 0) remove.push(row.id);
    else put.push({ id: row.id, tokens: [channelToken(row.channel_id), ...senderToken(row), ...words] });
  }
  const index = searchIndex(ctx.db);
  await index.remove(ctx.db, remove);
  await index.put(ctx.db, put);
}

function senderToken({ sender_type, user_id, sender_name }: IndexedRow): string[] {
  if (sender_type === "agent") return [agentToken(sender_name)];
  return sender_type === "user" && user_id !== null ? [userToken(user_id)] : [];
}
