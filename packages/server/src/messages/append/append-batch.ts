import { createHash } from "node:crypto";
import type { AppContext } from "../../context.ts";
import { fail } from "../../errors.ts";
import { type MessageRow, recordJson } from "../../event-log/message-json.ts";
import { advanceChannel, insertMessages, type NewMessage } from "../../event-log/rows.ts";
import { publishControl } from "../../realtime/control.ts";
import { insertMentions, type NewMention } from "../mentions/mention-rows.ts";
import { mentionsInDoubt } from "../mentions/mentions-in-doubt.ts";
import { type Mentioned, NOBODY } from "../mentions/resolve-mentions.ts";
import { findByClientKeys, othersAfter } from "../messages.store.ts";
import { reactedOf, withOwnReactions } from "../reactions/own-reactions.ts";

/** A message that has passed every check and waits for its seq. */
export interface Draft extends Omit<NewMessage, "seq" | "created_at"> {
  channelSlug: string;
  /** True in a direct conversation. */
  isDirect: boolean;
  /** The recipients of its mentions; the agents' pending mentions are committed with the message. */
  mentioned: Mentioned;
  /** Refuse with `context_stale` if others have posted since this seq. */
  expectedLastSeq: number | null;
}

/** A message after its commit. */
export interface Appended {
  row: MessageRow;
  json: string;
  mentioned: Mentioned;
  isDirect: boolean;
  /** True if an earlier message had this `client_msg_id`. */
  deduplicated: boolean;
}

/** Writes the new messages of a batch, inside its transaction. Returns each draft's result at the draft's index. */
export async function writeBatch(ctx: AppContext, batch: readonly Draft[]): Promise<(Appended | Error)[]> {
  const answers: (Appended | Error)[] = new Array(batch.length);
  const fresh = await findFresh(ctx, batch, answers);
  const rows: MessageRow[] = [];
  const written: number[] = [];
  for (const [channelId, indexes] of byChannel(batch, fresh)) {
    const refusal = await staleContextError(ctx, channelId, batch[indexes[0] ?? 0]);
    const place = refusal === null ? await advanceChannel(ctx.db, channelId, indexes.length, ctx.clock.now()) : null;
    // After a commit, `append` publishes the messages; this handles only a commit in doubt.
    ctx.afterCommit(
      () => {},
      () => publishControl(ctx.root, "events_in_doubt", channelId),
    );
    if (place === null) {
      for (const index of indexes) answers[index] = refusal ?? fail("channel_not_found");
      continue;
    }
    let seq = place.lastSeq - indexes.length;
    for (const index of indexes) {
      const draft = batch[index];
      if (draft === undefined) continue;
      rows.push(newRow(draft, ++seq, place.at));
      written.push(index);
    }
  }
  const ids = await insertMessages(ctx.db, rows);
  const mentions: NewMention[] = [];
  rows.forEach((row, position) => {
    const index = written[position] ?? 0;
    const draft = batch[index];
    const id = ids[position];
    if (draft === undefined || id === undefined)
      throw new Error("The database returned fewer ids than the rows that were inserted.");
    row.id = id;
    const { mentioned, isDirect } = draft;
    const answer = { row, json: recordJson(row, draft.channelSlug), mentioned, isDirect, deduplicated: false };
    answers[index] = answer;
    if (mentioned !== NOBODY) {
      ctx.afterCommit(
        () => {},
        () => mentionsInDoubt(ctx.root, answer),
      );
    }
    for (const { agentId, agentName } of draft.mentioned.agents) {
      mentions.push({
        agent_id: agentId,
        agent_name: agentName,
        channel_id: row.channel_id,
        message_id: id,
        created_at: row.created_at,
      });
    }
  });
  if (mentions.length > 0) await insertMentions(ctx.db, mentions);
  repeatTwins(batch, answers);
  return answers;
}

/**
 * Returns the error `context_stale` with the missed messages, or null if none was missed. Checks under the channel's
 * row lock, so that no message can be inserted in between.
 */
async function staleContextError(ctx: AppContext, channelId: number, draft: Draft | undefined): Promise<Error | null> {
  const expected = draft?.expectedLastSeq;
  if (draft === undefined || expected === null || expected === undefined) return null;
  await advanceChannel(ctx.db, channelId, 0, 0);
  const missed = await othersAfter(ctx.db, channelId, expected, draft.agent_id ?? 0, 50);
  if (missed.length === 0) return null;
  const json = `[${missed.map((row) => recordJson(row, draft.channelSlug)).join(",")}]`;
  const reader = { kind: "agent", id: draft.agent_id ?? 0 } as const;
  const messages = JSON.parse(await withOwnReactions(ctx, reader, { json, reactedIds: reactedOf(missed) }));
  return fail("context_stale", { details: { messages, last_seq: missed.at(-1)?.seq ?? expected } });
}

/** Hashes the fields that make two sends identical. Only sends with a key pay for it. */
export function fingerprint(draft: Draft): string | null {
  if (draft.client_key === null) return null;
  return createHash("sha256")
    .update(
      JSON.stringify([
        draft.channel_id,
        draft.type,
        draft.content,
        draft.sender_name,
        draft.reply_to_id,
        draft.sticker_id,
      ]),
    )
    .digest("base64");
}

/** Returns the row to insert, without its id. */
function newRow(draft: Draft, seq: number, at: number): MessageRow {
  return {
    id: 0,
    channel_id: draft.channel_id,
    seq,
    type: draft.type,
    content: draft.content,
    sender_type: draft.sender_type,
    user_id: draft.user_id,
    agent_id: draft.agent_id,
    sender_name: draft.sender_name,
    client_msg_id: draft.client_msg_id,
    client_key: draft.client_key,
    client_hash: draft.client_hash,
    reply_to_id: draft.reply_to_id,
    mentions: draft.mentions,
    sticker_id: draft.sticker_id,
    sticker: draft.sticker,
    packet_id: draft.packet_id,
    reactions: null,
    pinned_at: null,
    pinned_by: null,
    edited_at: null,
    deleted_at: null,
    created_at: at,
  };
}

/** Answers retries of sends that are already committed; returns the indexes of the other drafts, one per key. */
async function findFresh(ctx: AppContext, batch: readonly Draft[], answers: (Appended | Error)[]): Promise<number[]> {
  const keys = batch.flatMap(({ client_key }) => (client_key === null ? [] : [client_key]));
  if (keys.length === 0) return batch.map((_, index) => index);
  const known = new Map((await findByClientKeys(ctx.db, keys)).map((row) => [row.client_key, row]));
  const inBatch = new Set<string>();
  return batch.flatMap((draft, index) => {
    if (draft.client_key === null) return [index];
    const row = known.get(draft.client_key);
    if (row !== undefined) {
      answers[index] = row.client_hash === draft.client_hash ? repeated(row, draft) : fail("idempotency_conflict");
      return [];
    }
    if (inBatch.has(draft.client_key)) return [];
    inBatch.add(draft.client_key);
    return [index];
  });
}

function repeated(row: MessageRow, draft: Draft): Appended {
  return {
    row,
    json: recordJson(row, draft.channelSlug),
    mentioned: NOBODY,
    isDirect: draft.isDirect,
    deduplicated: true,
  };
}

/** Gives duplicates within the batch the first one's answer. */
function repeatTwins(batch: readonly Draft[], answers: (Appended | Error)[]): void {
  batch.forEach((draft, index) => {
    if (answers[index] !== undefined) return;
    const first = batch.findIndex((other, at) => at < index && other.client_key === draft.client_key);
    const answer = answers[first];
    if (answer === undefined || answer instanceof Error) answers[index] = answer ?? fail("internal_error");
    else
      answers[index] =
        batch[first]?.client_hash === draft.client_hash
          ? { ...answer, deduplicated: true }
          : fail("idempotency_conflict");
  });
}

/** Groups by channel in ascending order, so that nodes do not deadlock on channel rows. */
function byChannel(batch: readonly Draft[], indexes: readonly number[]): [number, number[]][] {
  const groups = new Map<number, number[]>();
  for (const index of indexes) {
    const channelId = batch[index]?.channel_id ?? 0;
    const group = groups.get(channelId);
    if (group === undefined) groups.set(channelId, [index]);
    else group.push(index);
  }
  return groups.size === 1 ? [...groups] : [...groups].sort(([a], [b]) => a - b);
}
