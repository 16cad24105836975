import type { FileRecord } from "@parley/protocol/files";
import { nameKey } from "../../accounts/names/names.ts";
import { largeGarbage } from "../../base/large-garbage.ts";
import { type AppContext, perServer } from "../../context.ts";
import { isSqlite } from "../../db/dialect.ts";
import { searchIndex } from "../../db/search-index/index-of-database.ts";
import { SEARCH_CURSORS } from "../../db/search-index/search-index.ts";
import { type Consumer, consumeMessages } from "../../event-log/consumer.ts";
import type { Span } from "../../event-log/span.ts";
import { charactersOfSpans, type IndexedRow, messagesOfSpans } from "./indexing.store.ts";
import { indexedWords } from "./words.ts";

/** Tokens of metadata. Their prefixes do not occur in words. */
export const channelToken = (channelId: number): string => `#${channelId}`;
/** Users are indexed by id, so that the index contains no names; agents by the name under which they posted. */
export const userToken = (userId: number): string => `@${userId}`;
export const agentToken = (agentName: string): string => `@a.${nameKey(agentName)}`;

/** Returns what a search looks at: the text, then the names, descriptions and transcripts of the files. */
export function searchedText({ content, files }: Pick<IndexedRow, "content" | "files">): string {
  if (files === null) return content;
  const records = JSON.parse(files) as FileRecord[];
  const words = records.flatMap(({ name, alt_text, voice }) => [name, alt_text ?? "", voice?.transcript?.text ?? []]);
  return [content, ...words.flat()].join("\n");
}

/** Characters whose tokens are in memory at a time: 256 long Chinese messages have 2 million tokens. */
const PART = 64 * 1024;
/** Length of a text from which its tokens count as garbage. */
const LONG = 1_000;
/** Bytes that the tokens of a text leave for each of its characters, if they are pairs. */
const GARBAGE_BYTES = 48;

/**
 * Updates the index to the current state of these messages. Call it in the transaction that changes one; new ones are
 * indexed in the background. Deleted messages and those without words are removed from the index.
 */
export async function indexMessages(ctx: AppContext, rows: readonly IndexedRow[]): Promise<void> {
  for (let from = 0; from < rows.length; ) {
    let length = 0;
    let to = from;
    for (; to < rows.length && length < PART; to += 1) {
      const row = rows[to];
      length += (row?.content.length ?? 0) + (row?.files?.length ?? 0);
    }
    await indexPart(ctx, rows.slice(from, to));
    from = to;
  }
}

async function indexPart(ctx: AppContext, rows: readonly IndexedRow[]): Promise<void> {
  const put: { id: number; tokens: string[] }[] = [];
  const remove: number[] = [];
  let garbage = 0;
  for (const row of rows) {
    const text = row.deleted_at === null ? searchedText(row) : "";
    const words = indexedWords(text);
    if (text.length >= LONG) garbage += GARBAGE_BYTES * text.length;
    if (words.length === 0) remove.push(row.id);
    else put.push({ id: row.id, tokens: [channelToken(row.channel_id), ...senderToken(row), ...words] });
  }
  const index = searchIndex(ctx.db);
  await index.remove(ctx.db, remove);
  await index.put(ctx.db, put);
  largeGarbage(ctx.root).note(garbage);
}

function senderToken({ sender_type, user_id, sender_name }: IndexedRow): string[] {
  if (sender_type === "agent") return [agentToken(sender_name)];
  return sender_type === "user" && user_id !== null ? [userToken(user_id)] : [];
}

/**
 * Indexes the messages of new events in a transaction of the consumer. On PostgreSQL a message may be edited, and indexed,
 * between this reading and the writing, which would then put the old words back. So what has changed is indexed again: a
 * later edit waits for this transaction, because both write the same row of the index. `read` is for tests.
 */
export async function indexSpans(ctx: AppContext, spans: readonly Span[], read = messagesOfSpans): Promise<void> {
  const before = new Map((await read(ctx.db, spans)).map((row) => [row.id, row]));
  await indexMessages(ctx, [...before.values()]);
  // There, transactions run one after the other.
  if (isSqlite(ctx.db)) return;
  const isChanged = ({ id, content, files, deleted_at }: IndexedRow) => {
    const row = before.get(id);
    return row?.content !== content || row.files !== files || row.deleted_at !== deleted_at;
  };
  await indexMessages(ctx, (await messagesOfSpans(ctx.db, spans)).filter(isChanged));
}

/** The typical delay before a new message can be found. */
const EVERY_MS = 1_000;
const BATCH = 500;
/**
 * Characters that one transaction indexes: a Chinese text has two tokens for each, and on SQLite a transaction holds the
 * thread. Ordinary messages reach `BATCH` first.
 */
const CHARACTERS = 32 * 1024;

/**
 * Indexes new messages in the background, outside the send path. Edits and deletions are indexed at once
 * (`indexMessages`), and here again.
 */
export const searchConsumer = perServer((ctx): Consumer => {
  const consumer = consumeMessages(ctx, {
    purpose: SEARCH_CURSORS,
    everyMs: EVERY_MS,
    batch: BATCH,
    fits: async (ctx, spans) => (await charactersOfSpans(ctx.db, spans)) <= CHARACTERS,
    handle: indexSpans,
  });
  ctx.metrics.searchLagFrom(() => consumer.behind);
  return consumer;
});

/** Starts indexing. */
export function startSearch(ctx: AppContext): void {
  searchConsumer(ctx);
}
