import type { AppContext } from "../../context.ts";
import { fail } from "../../errors.ts";
import { tryLockChannel } from "../../event-log/events.ts";
import type { MessageRow } from "../../event-log/message-json.ts";
import { advanceChannel, insertMessages } from "../../event-log/rows.ts";
import { publishControl } from "../../realtime/control/control.ts";
import { insertItems, type NewItem } from "../inbox/inbox-rows.ts";
import { mentionsInDoubt } from "../mentions/mentions-in-doubt.ts";
import { itemsOf, NOBODY } from "../mentions/resolve-mentions.ts";
import { type Appended, appended, type Draft, newRow, type OpenStep, roadOf, type StoredDraft } from "./draft.ts";
import { findFresh, repeatTwins } from "./retries.ts";
import { openSteps } from "./steps.ts";

/** Writes the new messages of a batch, inside its transaction. Returns each draft's result at the draft's index. */
export async function writeBatch(ctx: AppContext, batch: readonly Draft[]): Promise<(Appended | Error)[]> {
  const answers: (Appended | Error)[] = new Array(batch.length);
  const fresh = await findFresh(ctx, batch, answers);
  const steps = batch.every(isOnlyRow) ? [] : await openSteps(ctx, draftsAt(batch, fresh));
  const rows: MessageRow[] = [];
  const written: number[] = [];
  for (const [channelId, all] of byChannel(batch, fresh)) {
    const indexes =
      steps.length === 0 ? all : await acceptable(ctx, channelId, { batch, indexes: all, answers, steps });
    if (indexes.length === 0) continue;
    const place = await advanceChannel(ctx.db, channelId, indexes.length, ctx.clock.now());
    // After a commit, `append` publishes the messages; this handles only a commit in doubt.
    ctx.afterCommit(
      () => {},
      () => publishControl(ctx.root, "events_in_doubt", channelId),
    );
    if (place === null) {
      for (const index of indexes) answers[index] = fail("channel_not_found");
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
  const stored: StoredDraft[] = [];
  const items: NewItem[] = [];
  const reaching: Appended[] = [];
  rows.forEach((row, position) => {
    const index = written[position] ?? 0;
    const draft = batch[index];
    const id = ids[position];
    if (draft === undefined || id === undefined)
      throw new Error("The database returned fewer ids than the rows that were inserted.");
    row.id = id;
    const answer = appended(row, draft);
    answers[index] = answer;
    stored.push({ draft, answer });
    const { mentioned, channelSlug } = draft;
    if (mentioned === NOBODY) return;
    ctx.afterCommit(
      () => {},
      () => mentionsInDoubt(ctx.root, { row, mentioned, channelSlug }),
    );
    if (mentioned.agents.length === 0) return;
    reaching.push(answer);
    items.push(...itemsOf(row, mentioned, row.created_at));
  });
  for (const step of steps) await step.write?.(ctx, stored);
  if (items.length > 0) {
    const ids = await insertItems(ctx.db, items);
    for (const answer of reaching) answer.itemIds = ids.splice(0, answer.mentioned.agents.length);
  }
  repeatTwins(batch, answers);
  return answers;
}

const isOnlyRow = (draft: Draft): boolean => roadOf(draft) === "statement";

const draftsAt = (batch: readonly Draft[], indexes: readonly number[]): Draft[] =>
  indexes.flatMap((index) => batch[index] ?? []);

interface Asked {
  batch: readonly Draft[];
  indexes: readonly number[];
  answers: (Appended | Error)[];
  steps: readonly OpenStep[];
}

/**
 * Has the steps decide about the drafts of one channel, in their order and under the lock of the channel's row: until the
 * commit, nobody else can store a message there, on any node. Returns the indexes of those that can be stored; the others
 * are answered.
 */
async function acceptable(
  ctx: AppContext,
  channelId: number,
  { batch, indexes, answers, steps }: Asked,
): Promise<readonly number[]> {
  // The channel is gone: `writeBatch` answers so when it gets no numbers.
  if (!(await tryLockChannel(ctx, channelId))) return indexes;
  const drafts = draftsAt(batch, indexes);
  for (const step of steps) await step.enter?.(ctx, channelId, drafts);
  return indexes.filter((index, at) => {
    const draft = drafts[at];
    const refusal = draft === undefined ? null : firstRefusal(steps, draft);
    if (draft === undefined || refusal !== null) {
      answers[index] = refusal ?? fail("internal_error");
      return false;
    }
    for (const step of steps) step.note?.(draft);
    return true;
  });
}

function firstRefusal(steps: readonly OpenStep[], draft: Draft): Error | null {
  for (const step of steps) {
    const refusal = step.refusal?.(draft) ?? null;
    if (refusal !== null) return refusal;
  }
  return null;
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
