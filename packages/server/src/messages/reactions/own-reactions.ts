import type { ChatMessage } from "@parley/protocol/models";
import type { AppContext } from "../../context.ts";
import { type MessageRow, recordJson } from "../../event-log/message-json.ts";
import type { AgentIdentity, Identity, UserIdentity } from "../../http/identity.ts";
import { type Actor, reactionsBy } from "./reactions.store.ts";

/** Records as shared by all readers. */
export interface SharedRecords {
  /** JSON text: one record, or a list of them. */
  json: string;
  /** Ids of the records with reactions. */
  reactedIds: readonly number[];
}

/** Returns the caller as an actor who can react; null for guests, who cannot. */
export function actorOf(caller: UserIdentity | AgentIdentity): Actor;
export function actorOf(caller: Identity): Actor | null;
export function actorOf(caller: Identity): Actor | null {
  if (caller.kind === "guest") return null;
  return { kind: caller.kind, id: caller.kind === "user" ? caller.userId : caller.agentId };
}

/** Returns the ids of the rows with reactions, for `SharedRecords`. */
export const reactedOf = (rows: readonly Pick<MessageRow, "id" | "reactions">[]): number[] =>
  rows.flatMap(({ id, reactions }) => (reactions === null ? [] : [id]));

/**
 * Returns the records as this reader sees them: `me` is true for their own reactions. Every record sent to a single
 * caller must pass through here. Without reactions it returns the same text and runs no query; it parses the text only
 * if some reactions are the reader's.
 */
export function withOwnReactions(
  ctx: AppContext,
  reader: Actor | null,
  shared: SharedRecords,
): string | Promise<string> {
  return reader === null || shared.reactedIds.length === 0 ? shared.json : mark(ctx, reader, shared);
}

async function mark(ctx: AppContext, reader: Actor, shared: SharedRecords): Promise<string> {
  const own = await reactionsBy(ctx.db, reader, shared.reactedIds);
  if (own.length === 0) return shared.json;
  const given = new Set(own.map(({ message_id, reaction }) => `${message_id} ${reaction}`));
  const records = JSON.parse(shared.json) as ChatMessage | ChatMessage[];
  for (const { id, reactions } of Array.isArray(records) ? records : [records]) {
    for (const kind of reactions) kind.me = given.has(`${id} ${kind.reaction}`);
  }
  return JSON.stringify(records);
}

/** Returns one row's record as this caller sees it. */
export const ownRecord = (
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  row: Pick<MessageRow, "id" | "reactions">,
  json: string,
): string | Promise<string> => withOwnReactions(ctx, actorOf(caller), { json, reactedIds: reactedOf([row]) });

/** Returns each row as a JSON record, as this reader sees it. */
export async function markedRecords(
  ctx: AppContext,
  reader: Actor | null,
  rows: readonly (MessageRow & { slug: string })[],
): Promise<string[]> {
  const records = rows.map((row) => recordJson(row, row.slug));
  const json = `[${records.join(",")}]`;
  const marked = await withOwnReactions(ctx, reader, { json, reactedIds: reactedOf(rows) });
  return marked === json ? records : (JSON.parse(marked) as unknown[]).map((record) => JSON.stringify(record));
}
