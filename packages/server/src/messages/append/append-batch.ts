import { Purses } from "../../budgets/purses.ts";
import type { AppContext } from "../../context.ts";
import { fail } from "../../errors.ts";
import { type MessageRow, recordJson } from "../../event-log/message-json.ts";
import { advanceChannel, insertMessages } from "../../event-log/rows.ts";
import { bindFiles, lockFiles } from "../../files/sending.ts";
import { publishControl } from "../../realtime/control/control.ts";
import { OpenQuestions } from "../cards/open-questions.ts";
import { type Question, storeQuestion } from "../cards/sending.ts";
import { insertItems, type NewItem } from "../inbox/inbox-rows.ts";
import { GuardOfBatch } from "../loop-guard/guard-at-write.ts";
import { mentionsInDoubt } from "../mentions/mentions-in-doubt.ts";
import { itemsOf, NOBODY } from "../mentions/resolve-mentions.ts";
import { othersAfter } from "../messages.store.ts";
import { differingOf, withOwnFields } from "../own-fields.ts";
import { ThreadsOfBatch } from "../threads/threads-of-batch.ts";
import { type Appended, appended, type Draft, fileIdsOf, isPlain, newRow } from "./draft.ts";
import { findFresh, repeatTwins } from "./retries.ts";

/** Writes the new messages of a batch, inside its transaction. Returns each draft's result at the draft's index. */
export async function writeBatch(ctx: AppContext, batch: readonly Draft[]): Promise<(Appended | Error)[]> {
  const answers: (Appended | Error)[] = new Array(batch.length);
  const fresh = await findFresh(ctx, batch, answers);
  const arePlain = batch.every(isPlain);
  // Agents before budgets, and both before channels: that is the order of locks everywhere.
  const questions = arePlain ? null : await questionsOf(ctx, batch, fresh);
  const purses = arePlain ? null : await pursesOf(ctx, batch, fresh);
  const rows: MessageRow[] = [];
  const written: number[] = [];
  const threads = new ThreadsOfBatch();
  for (const [channelId, all] of byChannel(batch, fresh)) {
    const refusal = arePlain ? null : await refusalOf(ctx, channelId, batch[all[0] ?? 0]);
    const acceptable = arePlain ? all : await threads.acceptable(ctx, channelId, { batch, indexes: all, answers });
    const wanted = acceptable.length;
    const place = refusal === null ? await advanceChannel(ctx.db, channelId, wanted, ctx.clock.now()) : null;
    // After a commit, `append` publishes the messages; this handles only a commit in doubt.
    ctx.afterCommit(
      () => {},
      () => publishControl(ctx.root, "events_in_doubt", channelId),
    );
    if (place === null) {
      for (const index of acceptable) answers[index] = refusal ?? fail("channel_not_found");
      continue;
    }
    const indexes = arePlain
      ? all
      : await withinLimits(ctx, channelId, { batch, indexes: acceptable, answers, purses, questions });
    if (indexes.length < wanted) await advanceChannel(ctx.db, channelId, indexes.length - wanted, 0);
    let seq = place.lastSeq - wanted;
    for (const index of indexes) {
      const draft = batch[index];
      if (draft === undefined) continue;
      rows.push(newRow(draft, ++seq, place.at));
      written.push(index);
    }
  }
  const ids = await insertMessages(ctx.db, rows);
  const items: NewItem[] = [];
  const reaching: Appended[] = [];
  const asking: { row: MessageRow; question: Question }[] = [];
  const carrying: { row: MessageRow; ids: number[] }[] = [];
  rows.forEach((row, position) => {
    const index = written[position] ?? 0;
    const draft = batch[index];
    const id = ids[position];
    if (draft === undefined || id === undefined)
      throw new Error("The database returned fewer ids than the rows that were inserted.");
    row.id = id;
    const answer = appended(row, draft);
    answers[index] = answer;
    const { mentioned, channelSlug, question } = draft;
    if (question != null) asking.push({ row, question });
    if (draft.files !== null) carrying.push({ row, ids: fileIdsOf(draft.files) });
    if (mentioned === NOBODY) return;
    ctx.afterCommit(
      () => {},
      () => mentionsInDoubt(ctx.root, { row, mentioned, channelSlug }),
    );
    if (mentioned.agents.length === 0) return;
    reaching.push(answer);
    items.push(...itemsOf(row, mentioned, row.created_at));
  });
  if (!threads.isEmpty) {
    await threads.write(
      ctx.db,
      written.map((index) => answers[index] as Appended),
    );
  }
  for (const { row, ids } of carrying) await bindFiles(ctx, ids, row);
  for (const { row, question } of asking) await storeQuestion(ctx, row, question);
  await purses?.close(ctx);
  if (items.length > 0) {
    const ids = await insertItems(ctx.db, items);
    for (const answer of reaching) answer.itemIds = ids.splice(0, answer.mentioned.agents.length);
  }
  repeatTwins(batch, answers);
  return answers;
}

const questionsOf = (
  ctx: AppContext,
  batch: readonly Draft[],
  fresh: readonly number[],
): Promise<OpenQuestions | null> =>
  OpenQuestions.lock(
    ctx,
    fresh.flatMap((index) => batch[index] ?? []),
  );

/** Opens the budgets of the agents whose spending is counted; null: none of the messages counts. */
async function pursesOf(ctx: AppContext, batch: readonly Draft[], fresh: readonly number[]): Promise<Purses | null> {
  if (!fresh.some((index) => batch[index]?.counted !== undefined)) return null;
  return Purses.open(
    ctx,
    fresh.flatMap((index) => batch[index]?.counted?.agentId ?? []),
  );
}

interface Limited {
  batch: readonly Draft[];
  indexes: readonly number[];
  answers: (Appended | Error)[];
  purses: Purses | null;
  questions: OpenQuestions | null;
}

/**
 * Decides on the limits of agents, in the order of the messages and under the channel's lock: what they count is then
 * the newest that there can be. Returns the messages that have room; the others are answered.
 */
async function withinLimits(
  ctx: AppContext,
  channelId: number,
  { batch, indexes, answers, purses, questions }: Limited,
): Promise<readonly number[]> {
  const drafts = indexes.flatMap((index) => batch[index] ?? []);
  const guard = await GuardOfBatch.open(ctx, channelId, drafts);
  if (guard === null && purses === null && questions === null) return indexes;
  return indexes.filter((index, at) => {
    const draft = drafts[at];
    if (draft === undefined) return false;
    const refusal = guard?.refusal(draft) ?? questions?.refusal(draft) ?? spendingRefusal(purses, draft);
    if (refusal !== null) {
      answers[index] = refusal;
      return false;
    }
    guard?.note(draft);
    questions?.note(draft);
    return true;
  });
}

/** Counts a message against its agent's budgets. Returns the refusal if one has no room; then nothing is counted. */
function spendingRefusal(purses: Purses | null, { counted, channel_id, content, card }: Draft): Error | null {
  if (purses === null || counted === undefined) return null;
  return purses.take({ ...counted, channelId: channel_id, content, cards: card === null ? 0 : 1 });
}

/** Returns the error of a draft that goes alone, or null. Locks the files that it carries. */
async function refusalOf(ctx: AppContext, channelId: number, draft: Draft | undefined): Promise<Error | null> {
  const stale = await staleContextError(ctx, channelId, draft);
  if (stale !== null || draft === undefined || draft.files === null) return stale;
  return lockFiles(ctx, fileIdsOf(draft.files));
}

/**
 * Returns the error `context_stale` with the missed messages, or null if none was missed. Checks under the channel's
 * row lock, so that no message can be inserted in between.
 */
async function staleContextError(ctx: AppContext, channelId: number, draft: Draft | undefined): Promise<Error | null> {
  const expected = draft?.expectedLastSeq;
  if (draft === undefined || expected === null || expected === undefined) return null;
  await advanceChannel(ctx.db, channelId, 0, 0);
  return missedError(ctx, { channelId, channelSlug: draft.channelSlug, agentId: draft.agent_id ?? 0, expected });
}

/** Returns the error `context_stale` if others have posted since `expected`, or null. */
export async function missedError(
  ctx: AppContext,
  of: { channelId: number; channelSlug: string; agentId: number; expected: number },
): Promise<Error | null> {
  const { channelId, channelSlug, agentId, expected } = of;
  const missed = await othersAfter(ctx.db, channelId, expected, agentId, 50);
  if (missed.length === 0) return null;
  const json = `[${missed.map((row) => recordJson(row, channelSlug)).join(",")}]`;
  const reader = { kind: "agent", id: agentId } as const;
  const messages = JSON.parse(await withOwnFields(ctx, reader, { json, ...differingOf(missed) }));
  return fail("context_stale", { details: { messages, last_seq: missed.at(-1)?.seq ?? expected } });
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
