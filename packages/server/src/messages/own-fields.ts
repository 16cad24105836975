import type { ChatMessage } from "@parley/protocol/models";
import type { AppContext } from "../context.ts";
import { featureOf, type MessageRow, recordJson } from "../event-log/message-json.ts";
import { hook } from "../hook.ts";
import type { AgentIdentity, Identity, UserIdentity } from "../http/identity.ts";
import { followsOf } from "./threads/follows.store.ts";

/** A user or agent who reads or reacts. */
export interface Actor {
  kind: "user" | "agent";
  id: number;
}

/** Which of some records have fields that differ by reader. */
export interface Differing {
  /** Ids of the records with reactions. */
  reactedIds: readonly number[];
  /** Ids of the records that began a thread. */
  rootIds: readonly number[];
  /** Ids of the records that show the record of a feature, such as a poll. */
  featuredIds: readonly number[];
}

/** Records as shared by all readers. */
export interface SharedRecords extends Differing {
  /** JSON text: one record, or a list of them. */
  json: string;
}

/** Sets what is a reader's own in a record. */
type OwnFields = (record: ChatMessage) => void;

/**
 * Reads what is a reader's own in some records: a feature registers it for its fields. Returns null if the records stay as
 * they are for all.
 */
export const ownFields = hook<(ctx: AppContext, reader: Actor, of: Differing) => Promise<OwnFields | null>>();

/** Returns the caller as an actor who can react; null for guests, who cannot. */
export function actorOf(caller: UserIdentity | AgentIdentity): Actor;
export function actorOf(caller: Identity): Actor | null;
export function actorOf(caller: Identity): Actor | null {
  if (caller.kind === "guest") return null;
  return { kind: caller.kind, id: caller.kind === "user" ? caller.userId : caller.agentId };
}

/** The columns of a message that say whether its record differs by reader. */
type DifferingRow = Pick<MessageRow, "id" | "reactions" | "thread" | "card" | "deleted_at">;

/** Returns the ids of the rows with reactions, with threads and with a feature's record, for `SharedRecords`. */
export const differingOf = (rows: readonly DifferingRow[]): Differing => ({
  reactedIds: rows.flatMap(({ id, reactions }) => (reactions === null ? [] : [id])),
  rootIds: rows.flatMap(({ id, thread }) => (thread === null ? [] : [id])),
  featuredIds: rows.flatMap((row) => (featureOf(row) === undefined ? [] : [row.id])),
});

/**
 * Returns the records as this reader sees them: `me` is true for their own reactions, and a thread says whether a user
 * follows it. Every record sent to a single caller must pass through here. Without reactions, threads and features it returns the
 * same text and runs no query; it parses the text only if something is the reader's own.
 */
export function withOwnFields(ctx: AppContext, reader: Actor | null, shared: SharedRecords): string | Promise<string> {
  if (reader === null) return shared.json;
  const rootIds = reader.kind === "user" ? shared.rootIds : [];
  if (rootIds.length === 0 && shared.reactedIds.length === 0 && shared.featuredIds.length === 0) return shared.json;
  return addOwn(ctx, reader, { ...shared, rootIds });
}

async function addOwn(ctx: AppContext, reader: Actor, { json, ...differing }: SharedRecords): Promise<string> {
  const parts: OwnFields[] = [];
  for (const read of [ownThreads, ...ownFields.of(ctx)]) {
    const set = await read(ctx, reader, differing);
    if (set !== null) parts.push(set);
  }
  if (parts.length === 0) return json;
  const records = JSON.parse(json) as ChatMessage | ChatMessage[];
  for (const record of Array.isArray(records) ? records : [records]) for (const set of parts) set(record);
  return JSON.stringify(records);
}

async function ownThreads(ctx: AppContext, reader: Actor, { rootIds }: Differing): Promise<OwnFields | null> {
  if (rootIds.length === 0) return null;
  const followed = new Map((await followsOf(ctx.db, reader.id, rootIds)).map((follow) => [follow.rootId, follow]));
  return ({ id, thread }) => {
    if (thread === null) return;
    const follow = followed.get(id);
    thread.following = follow?.isFollowing ?? false;
    thread.unread_count = follow?.isFollowing ? follow.unreadCount : 0;
  };
}

/** Returns one row's record as this caller sees it. */
export const ownRecord = (
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  row: DifferingRow,
  json: string,
): string | Promise<string> => withOwnFields(ctx, actorOf(caller), { json, ...differingOf([row]) });

/** Returns each row as a JSON record, as this reader sees it. */
export async function markedRecords(
  ctx: AppContext,
  reader: Actor | null,
  rows: readonly (MessageRow & { slug: string })[],
): Promise<string[]> {
  const records = rows.map((row) => recordJson(row, row.slug));
  const json = `[${records.join(",")}]`;
  const marked = await withOwnFields(ctx, reader, { json, ...differingOf(rows) });
  return marked === json ? records : (JSON.parse(marked) as unknown[]).map((record) => JSON.stringify(record));
}
