import type { AppContext } from "../../context.ts";
import { fail } from "../../errors.ts";
import { type MessageRow, recordJson } from "../../event-log/message-json.ts";
import { NOBODY } from "../mentions/resolve-mentions.ts";
import { findByClientKeys } from "../messages.store.ts";
import { type Appended, type Draft, newRow } from "./draft.ts";
import { findSpentKeys } from "./spent-keys.ts";

/** Answers retries of sends that are already committed; returns the indexes of the other drafts, one per key. */
export async function findFresh(
  ctx: AppContext,
  batch: readonly Draft[],
  answers: (Appended | Error)[],
): Promise<number[]> {
  const keys = batch.flatMap(({ client_key }) => (client_key === null ? [] : [client_key]));
  if (keys.length === 0) return batch.map((_, index) => index);
  const known = new Map((await findByClientKeys(ctx.db, keys)).map((row) => [row.client_key, row]));
  for (const row of await expiredTwins(ctx, batch, known)) known.set(row.client_key, row);
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

/**
 * Returns the expired messages that drafts of expiring ones repeat, as tombstones. They are looked for after the
 * messages: one that expires meanwhile is found there or here.
 */
async function expiredTwins(
  ctx: AppContext,
  batch: readonly Draft[],
  known: ReadonlyMap<string | null, MessageRow>,
): Promise<MessageRow[]> {
  const expiring = batch.flatMap((draft) =>
    draft.expires_at === null || draft.client_key === null || known.has(draft.client_key)
      ? []
      : [{ draft, key: draft.client_key }],
  );
  if (expiring.length === 0) return [];
  const spent = await findSpentKeys(
    ctx,
    expiring.map(({ key }) => key),
  );
  return expiring.flatMap(({ draft, key }) => {
    const sent = spent.get(key);
    if (sent === undefined) return [];
    const row = newRow({ ...draft, client_hash: sent.client_hash }, sent.seq, sent.sent_at);
    return [
      {
        ...row,
        id: sent.message_id,
        content: "",
        mentions: null,
        sticker: null,
        files: null,
        card: null,
        deleted_at: sent.expired_at,
      },
    ];
  });
}

function repeated(row: MessageRow, draft: Draft): Appended {
  return {
    row,
    channelSlug: draft.channelSlug,
    json: recordJson(row, draft.channelSlug),
    mentioned: NOBODY,
    itemIds: [],
    isDirect: draft.isDirect,
    deduplicated: true,
  };
}

/** Gives duplicates within the batch the first one's answer. */
export function repeatTwins(batch: readonly Draft[], answers: (Appended | Error)[]): void {
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
