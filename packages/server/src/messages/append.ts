import { createHash } from "node:crypto";
import { type AppContext, perServer } from "../context.ts";
import { transact } from "../db/transact.ts";
import { fail } from "../errors.ts";
import type { BusMessage } from "../realtime/broker.ts";
import { channelTopic } from "../realtime/topics.ts";
import {
  type AppendStatements,
  findByClientKeys,
  insertMentions,
  type NewMention,
  type NewMessage,
  othersAfter,
} from "./messages.store.ts";
import { eventFrame, type MessageRow, recordJson } from "./record.ts";
import { statements } from "./statements.ts";

/** A message that has passed every check and waits for its number. */
export interface Draft extends Omit<NewMessage, "seq" | "created_at" | "client_hash"> {
  channelSlug: string;
  /** Agents whose pending mention is committed with the message. */
  mentioned: readonly { agentId: number; agentName: string }[];
  /** Refuse with `context_stale` when others have spoken since this number. */
  expectedLastSeq: number | null;
}

/** A message as it stands after its commit. */
export interface Appended {
  row: MessageRow;
  json: string;
  /** An earlier message answered this `client_msg_id`. */
  deduplicated: boolean;
}

interface Waiting {
  draft: Draft;
  hash: string | null;
  resolve(appended: Appended): void;
  reject(error: unknown): void;
}

/** At most this many go into one transaction: it bounds how long the loop is held. */
const BATCH_MAX = 256;
/** Turns of the loop a busy queue waits for more at most. */
const TURNS_MAX = 4;
/** Refuse to queue more: an answer now beats one after the client gave up. */
const QUEUE_MAX = 20_000;

/**
 * The append queue: the one road a message takes into the database.
 *
 * Promises: messages of one channel get numbers in the order of `append` calls; an answer resolves after the commit; the frames go to the
 * broker after the commit and before the answers resolve. One drain at a time: what queued while the last one ran is one transaction, so
 * an idle server commits at once and a busy one commits bigger batches. There is no timer: a busy queue drains after a turn of the loop
 * that brought nothing new, because clients who were answered together come back together, and else would split into two groups that
 * wait for each other's commits.
 */
export class AppendQueue {
  readonly #ctx: AppContext;
  readonly #statements: AppendStatements;
  #waiting: Waiting[] = [];
  #scheduled = false;
  #lastBatch = 0;
  #idle: Promise<void> = Promise.resolve();

  constructor(ctx: AppContext) {
    this.#ctx = ctx;
    this.#statements = statements(ctx);
  }

  append(draft: Draft): Promise<Appended> {
    if (this.#waiting.length >= QUEUE_MAX) throw fail("overloaded", { retryAfter: 1 });
    return new Promise((resolve, reject) => {
      this.#waiting.push({ draft, hash: fingerprint(draft), resolve, reject });
      if (!this.#scheduled) this.#schedule();
    });
  }

  /** Resolves when all that was queued is answered. */
  async settled(): Promise<void> {
    while (this.#scheduled) {
      await new Promise(setImmediate);
      await this.#idle;
    }
  }

  /** After the I/O of this turn, so that every request that arrived together is in the batch. */
  #schedule(): void {
    this.#scheduled = true;
    setImmediate(() => this.#turn(this.#lastBatch > 1 ? TURNS_MAX : 0));
  }

  #turn(turnsLeft: number): void {
    const queued = this.#waiting.length;
    if (turnsLeft === 0 || queued >= BATCH_MAX) {
      this.#idle = this.#drain();
      return;
    }
    setImmediate(() => this.#turn(this.#waiting.length > queued ? turnsLeft - 1 : 0));
  }

  async #drain(): Promise<void> {
    const batch = this.#takeBatch();
    this.#lastBatch = batch.length;
    try {
      await this.#commit(batch);
    } catch (error) {
      await this.#commitEach(batch, error);
    }
    this.#scheduled = false;
    if (this.#waiting.length > 0) this.#schedule();
  }

  /** A draft with an expectation goes alone, since what stands before it in the batch counts as spoken. */
  #takeBatch(): Waiting[] {
    const alone = this.#waiting.findIndex((waiting) => waiting.draft.expectedLastSeq !== null);
    const size = alone === -1 ? BATCH_MAX : Math.min(Math.max(alone, 1), BATCH_MAX);
    if (this.#waiting.length <= size) {
      const all = this.#waiting;
      this.#waiting = [];
      return all;
    }
    return this.#waiting.splice(0, size);
  }

  /** One bad message must not sink its batch: each is tried alone. */
  async #commitEach(batch: readonly Waiting[], error: unknown): Promise<void> {
    if (batch.length === 1) {
      batch[0]?.reject(error);
      return;
    }
    for (const waiting of batch) {
      try {
        await this.#commit([waiting]);
      } catch (cause) {
        waiting.reject(cause);
      }
    }
  }

  async #commit(batch: readonly Waiting[]): Promise<void> {
    const started = this.#ctx.clock.monotonic();
    const answers = await transact(this.#ctx, (ctx) => this.#write(ctx, batch));
    this.#ctx.metrics.batchCommitted(batch.length, (this.#ctx.clock.monotonic() - started) / 1000);
    this.#publish(answers);
    batch.forEach((waiting, index) => {
      const answer = answers[index];
      if (answer instanceof Error) waiting.reject(answer);
      else if (answer !== undefined) waiting.resolve(answer);
    });
  }

  /** Writes what is new; answers stand at the index of what asked. */
  async #write(ctx: AppContext, batch: readonly Waiting[]): Promise<(Appended | Error)[]> {
    const answers: (Appended | Error)[] = new Array(batch.length);
    const fresh = await findFresh(ctx, batch, answers);
    const rows: NewMessage[] = [];
    const written: number[] = [];
    for (const [channelId, indexes] of byChannel(batch, fresh)) {
      const refusal = await this.#refuseStale(ctx, channelId, batch[indexes[0] ?? 0]);
      const place =
        refusal === null ? await this.#statements.advance(ctx.db, channelId, indexes.length, ctx.clock.now()) : null;
      if (place === null) {
        for (const index of indexes) answers[index] = refusal ?? fail("channel_not_found");
        continue;
      }
      let seq = place.lastSeq - indexes.length;
      for (const index of indexes) {
        const waiting = batch[index];
        if (waiting === undefined) continue;
        rows.push(newRow(waiting, ++seq, place.at));
        written.push(index);
      }
    }
    const ids = await this.#statements.insert(ctx.db, rows);
    const mentions: NewMention[] = [];
    rows.forEach((row, position) => {
      const index = written[position] ?? 0;
      const draft = batch[index]?.draft;
      const id = ids[position];
      if (draft === undefined || id === undefined)
        throw new Error("The database gave back fewer ids than rows were inserted.");
      const full: MessageRow = { ...row, id, pinned_at: null, pinned_by: null, edited_at: null, deleted_at: null };
      answers[index] = { row: full, json: recordJson(full, draft.channelSlug), deduplicated: false };
      for (const { agentId, agentName } of draft.mentioned) {
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

  /** `context_stale` with what was missed, decided under the channel's row so that nothing slips in between. */
  async #refuseStale(ctx: AppContext, channelId: number, waiting: Waiting | undefined): Promise<Error | null> {
    const expected = waiting?.draft.expectedLastSeq;
    if (waiting === undefined || expected === null || expected === undefined) return null;
    await this.#statements.advance(ctx.db, channelId, 0, 0);
    const missed = await othersAfter(ctx.db, channelId, expected, waiting.draft.agent_id ?? 0, 50);
    if (missed.length === 0) return null;
    const messages = missed.map((row) => JSON.parse(recordJson(row, waiting.draft.channelSlug)) as unknown);
    return fail("context_stale", { details: { messages, last_seq: missed.at(-1)?.seq } });
  }

  #publish(answers: readonly (Appended | Error)[]): void {
    const byTopic = new Map<number, BusMessage[]>();
    for (const answer of answers) {
      if (answer instanceof Error || answer.deduplicated) continue;
      const { row, json } = answer;
      const frame = eventFrame("message:new", row.channel_id, row.seq, "{}", json);
      const message: BusMessage = {
        event: "message:new",
        frame,
        seq: row.seq,
        message: { id: row.id, seq: row.seq, json },
      };
      const list = byTopic.get(row.channel_id);
      if (list === undefined) byTopic.set(row.channel_id, [message]);
      else list.push(message);
    }
    for (const [channelId, messages] of byTopic) this.#ctx.broker.publish(channelTopic(channelId), messages);
  }
}

export const appendQueue = perServer((ctx) => new AppendQueue(ctx));

/** What makes two sends the same body. Only sends with a key pay for it. */
function fingerprint(draft: Draft): string | null {
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

function newRow({ draft, hash }: Waiting, seq: number, at: number): NewMessage {
  return {
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
    client_hash: hash,
    reply_to_id: draft.reply_to_id,
    mentions: draft.mentions,
    sticker_id: draft.sticker_id,
    packet_id: draft.packet_id,
    created_at: at,
  };
}

/** Answers repeats of sends that were committed before; gives back the indexes of the others, one per key. */
async function findFresh(ctx: AppContext, batch: readonly Waiting[], answers: (Appended | Error)[]): Promise<number[]> {
  const keys = batch.flatMap(({ draft }) => (draft.client_key === null ? [] : [draft.client_key]));
  if (keys.length === 0) return batch.map((_, index) => index);
  const known = new Map((await findByClientKeys(ctx.db, keys)).map((row) => [row.client_key, row]));
  const inBatch = new Set<string>();
  return batch.flatMap(({ draft, hash }, index) => {
    if (draft.client_key === null) return [index];
    const row = known.get(draft.client_key);
    if (row !== undefined) {
      answers[index] = row.client_hash === hash ? repeated(row, draft) : fail("idempotency_conflict");
      return [];
    }
    if (inBatch.has(draft.client_key)) return [];
    inBatch.add(draft.client_key);
    return [index];
  });
}

function repeated(row: MessageRow, draft: Draft): Appended {
  return { row, json: recordJson(row, draft.channelSlug), deduplicated: true };
}

/** Twins in the same batch repeat the first one's answer. */
function repeatTwins(batch: readonly Waiting[], answers: (Appended | Error)[]): void {
  batch.forEach(({ draft, hash }, index) => {
    if (answers[index] !== undefined) return;
    const first = batch.findIndex((other, at) => at < index && other.draft.client_key === draft.client_key);
    const answer = answers[first];
    if (answer === undefined || answer instanceof Error) answers[index] = answer ?? fail("internal_error");
    else
      answers[index] = batch[first]?.hash === hash ? { ...answer, deduplicated: true } : fail("idempotency_conflict");
  });
}

/** Channels in ascending order, so that two nodes never wait for each other's rows. */
function byChannel(batch: readonly Waiting[], indexes: readonly number[]): [number, number[]][] {
  const groups = new Map<number, number[]>();
  for (const index of indexes) {
    const channelId = batch[index]?.draft.channel_id ?? 0;
    const group = groups.get(channelId);
    if (group === undefined) groups.set(channelId, [index]);
    else group.push(index);
  }
  return groups.size === 1 ? [...groups] : [...groups].sort(([a], [b]) => a - b);
}
