import { startBackgroundJob } from "../../base/background-job.ts";
import { type AppContext, perServer } from "../../context.ts";
import { commitsUnderWay } from "../../db/commits-under-way.ts";
import { isRefusal, isUniqueViolation } from "../../db/database.ts";
import { commitGuard, isConflict, RightTouched } from "../../db/transact.ts";
import { AppError } from "../../errors.ts";
import type { MessageRow } from "../../event-log/message-json.ts";
import { allHold } from "../../http/acts/acts-of-batch.ts";
import { publishControl } from "../../realtime/control/control.ts";
import { MAY_COMMIT_MS, mentionsInDoubt } from "../mentions/mentions-in-doubt.ts";
import { NOBODY } from "../mentions/resolve-mentions.ts";
import { storeAtOnce } from "./append-statement.ts";
import { type Appended, appended, type Draft, newRow } from "./draft.ts";
import { findFresh, repeatTwins } from "./retries.ts";

/** The result of a draft whose channel is gone or was locked too long: a transaction finds out which. */
export const NOT_STORED = new Error("The statement left this message out.");

/** A draft of the batch with its row, which gets its id, seq and time from the database. */
interface Written {
  index: number;
  draft: Draft;
  row: MessageRow;
}

/**
 * Writes the new messages of a batch on PostgreSQL in one statement. Returns each draft's result at the draft's index,
 * after the commit, or `NOT_STORED`; null if nothing was written because another node has just used the same client key, because a sender
 * may have lost their right, or because PostgreSQL ended a deadlock: a transaction then finds out what each draft is.
 */
export async function writeAtOnce(ctx: AppContext, batch: readonly Draft[]): Promise<(Appended | Error)[] | null> {
  const answers: (Appended | Error)[] = new Array(batch.length);
  const written: Written[] = [];
  for (const index of await findFresh(ctx, batch, answers)) {
    const draft = batch[index];
    if (draft !== undefined) written.push({ index, draft, row: rowOf(ctx, draft) });
  }
  if (written.length > 0 && !(await store(ctx, written, answers))) return null;
  repeatTwins(batch, answers);
  return answers;
}

/**
 * A message that notifies somebody always has a key, by which it can be found if its commit is in doubt. Keys of
 * senders begin with `u` or `a`.
 */
function rowOf(ctx: AppContext, draft: Draft): MessageRow {
  const row = newRow(draft, 0, 0);
  if (draft.mentioned !== NOBODY) row.client_key ??= `n:${Buffer.from(ctx.clock.random(16)).toString("base64url")}`;
  return row;
}

/** Stores the rows and answers their drafts. Returns false if nothing was stored and a transaction must be used. */
async function store(ctx: AppContext, written: readonly Written[], answers: (Appended | Error)[]): Promise<boolean> {
  const rows = written.map(({ row }) => row);
  const assertMayCommit = commitGuard(ctx.db);
  const leave = commitsUnderWay(ctx.db).enter();
  let isSent = false;
  const onSent = () => {
    assertMayCommit();
    if (!allHold(ctx, written)) throw new RightTouched();
    isSent = true;
  };
  try {
    const stored = await storeAtOnce(ctx.db, rows, { items: itemsOf(written), now: ctx.clock.now(), onSent });
    answerAll(written, stored, answers);
  } catch (error) {
    if (isUniqueViolation(error) || isConflict(error) || error instanceof RightTouched) return false;
    if (!isSent && error instanceof AppError) {
      // The senders' rights were checked before this node lost trust in what it knows. They ask again.
      for (const { index } of written) answers[index] = error;
      return true;
    }
    if (!isSent || isRefusal(error)) throw error;
    inDoubt(ctx, written);
    throw ctx.storageError(error) === undefined ? lost(error) : error;
  } finally {
    leave();
  }
  return true;
}

function itemsOf(written: readonly Written[]) {
  const places = new Map<number, number>();
  return written.flatMap(({ draft: { channel_id, mentioned } }) => {
    const place = (places.get(channel_id) ?? 0) + 1;
    places.set(channel_id, place);
    return mentioned.agents.map(({ agentId, agentName, kind }) => ({
      agent_id: agentId,
      agent_name: agentName,
      kind,
      channel_id,
      place,
    }));
  });
}

/** The database returns the messages in the batch's order and omits those of channels that are gone or were locked. */
function answerAll(
  written: readonly Written[],
  stored: Awaited<ReturnType<typeof storeAtOnce>>,
  answers: (Appended | Error)[],
): void {
  const there = new Set(stored.map(({ channel_id }) => channel_id));
  let at = 0;
  for (const { index, draft, row } of written) {
    const place = there.has(row.channel_id) ? stored[at++] : undefined;
    if (place === undefined) {
      answers[index] = NOT_STORED;
      continue;
    }
    row.id = place.id;
    row.seq = place.seq;
    row.created_at = place.created_at;
    const answer = appended(row, draft);
    if (place.item_ids !== undefined && place.item_ids !== null) answer.itemIds = place.item_ids.split(",").map(Number);
    answers[index] = answer;
  }
}

/** The statement may have committed: listeners find out from the database. */
function inDoubt(ctx: AppContext, written: readonly Written[]): void {
  channelsInDoubt(ctx, new Set(written.map(({ row }) => row.channel_id)));
  for (const { draft, row } of written) {
    if (draft.mentioned !== NOBODY)
      mentionsInDoubt(ctx, { row, mentioned: draft.mentioned, channelSlug: draft.channelSlug });
  }
}

/**
 * Marks an error of the driver as a lost connection (SQLSTATE 08007): the queue must not write these drafts a second
 * time.
 */
const lost = (cause: unknown): Error =>
  Object.assign(new Error("The outcome of a commit is unknown.", { cause }), { code: "08007" });

const AGAIN_MS = 1_000;

/** The channels in doubt, each with the monotonic time at which nothing can be committed any more. */
const channels = perServer((ctx) => {
  const until = new Map<number, number>();
  startBackgroundJob(ctx, AGAIN_MS, "looking after messages in doubt failed", async () => {
    const now = ctx.clock.monotonic();
    for (const [channelId, end] of until) {
      publishControl(ctx, "events_in_doubt", channelId);
      if (now > end) until.delete(channelId);
    }
  });
  return until;
});

/**
 * Has every node read these channels again, now and each second for as long as a statement whose connection was lost
 * may still commit.
 */
function channelsInDoubt(ctx: AppContext, channelIds: Iterable<number>): void {
  for (const channelId of channelIds) {
    channels(ctx).set(channelId, ctx.clock.monotonic() + MAY_COMMIT_MS);
    publishControl(ctx, "events_in_doubt", channelId);
  }
}
