import { effectiveDays } from "../channels/retention/retention.ts";
import type { AppContext } from "../context.ts";
import { AppError, fail } from "../errors.ts";
import type { MessageRow } from "../event-log/message-json.ts";
import type { OpenStep, Step, StoredDraft } from "../messages/append/draft.ts";
import { type Copy, copyOf, LINK } from "./forward-copy.ts";
import * as store from "./forwards.store.ts";

/** The parts of the source that go into a forwarded message. */
export interface Source {
  /** Where it came from first: the message itself, unless that is forwarded. */
  first: { messageId: number; channelId: number };
  copy: Copy;
  /** The files to copy, as the message stores them: JSON of their records. So a transcript that is removed is a change. */
  files: string | null;
  /** The channels that decide about a copy. */
  channelIds: readonly number[];
}

/**
 * Reads what a forwarded message takes from a message. Text and files are copied if none of the channels has a price or
 * a limit of age, and the message has no end (protocol §13.15). Otherwise only a link goes along. It decides on no right.
 * Errors: `message_not_found`, `message_deleted`, `cannot_forward`.
 */
export async function readSource(ctx: AppContext, messageId: number): Promise<Source> {
  const row = await store.holdMessage(ctx.db, messageId);
  if (row === undefined) throw fail("message_not_found");
  if (row.deleted_at !== null || (row.expires_at !== null && row.expires_at <= ctx.clock.now()))
    throw fail("message_deleted");
  if (row.type !== "text") throw fail("cannot_forward");
  const [from] = await store.forwardsOf(ctx.db, [messageId]);
  const first =
    from === undefined
      ? { messageId, channelId: row.channel_id }
      : { messageId: from.source_message_id, channelId: from.source_channel_id };
  const channelIds = [...new Set([row.channel_id, first.channelId])];
  const copy = (await mayCopy(ctx, row, channelIds)) ? copyOf(row) : LINK;
  return { first, copy, files: copy.is_copy ? row.files : null, channelIds };
}

async function mayCopy(ctx: AppContext, row: MessageRow, channelIds: readonly number[]): Promise<boolean> {
  if (row.expires_at !== null) return false;
  const facts = await store.channelFacts(ctx.db, channelIds);
  return facts.every(
    ({ price, retention_days }) => price === null && effectiveDays(ctx.config, retention_days) === null,
  );
}

/** How often a source that changes meanwhile is read again. */
const TRIES = 3;

/**
 * Posts what is made of a message. `post` stores it with the step, which decides again in the transaction; it is called
 * again if the source has changed meanwhile. Errors: those of `readSource` and of `post`.
 */
export async function postFrom<T>(
  ctx: AppContext,
  messageId: number,
  post: (source: Source, step: ForwardStep) => Promise<T>,
): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    const source = await readSource(ctx, messageId);
    const step = new ForwardStep(messageId, source);
    try {
      return await post(source, step);
    } catch (error) {
      if (!step.isStale || tried === TRIES) throw error;
    }
  }
}

/**
 * Decides about the source again in the transaction that stores the forwarded message, and says there where that came
 * from. It holds the channels and the message, so that none of them changes before the commit: a copy is not stored
 * after the channel has got a price or a limit of age, nor with a name that an erasure has removed.
 */
export class ForwardStep implements Step {
  /** True if the source has changed since it was read: read it again. */
  isStale = false;
  readonly #messageId: number;
  readonly #source: Source;

  constructor(messageId: number, source: Source) {
    this.#messageId = messageId;
    this.#source = source;
  }

  async open(ctx: AppContext, drafts: Parameters<Step["open"]>[1]): Promise<OpenStep> {
    const { channelIds, first } = this.#source;
    const targets = drafts.map(({ channel_id }) => channel_id);
    await store.holdChannels(ctx.db, [...channelIds, ...targets]);
    const refusal = await this.#refusal(ctx);
    return {
      refusal: () => refusal,
      async write(ctx: AppContext, stored: readonly StoredDraft[]): Promise<void> {
        for (const { answer } of stored)
          await store.insertForward(ctx.db, {
            message_id: answer.row.id,
            source_message_id: first.messageId,
            source_channel_id: first.channelId,
          });
      },
    };
  }

  async #refusal(ctx: AppContext) {
    try {
      const now = await readSource(ctx, this.#messageId);
      this.isStale = JSON.stringify(now) !== JSON.stringify(this.#source);
      return this.isStale ? fail("overloaded", { retryAfter: 1 }) : null;
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
  }
}
