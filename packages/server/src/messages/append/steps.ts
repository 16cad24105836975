import { Purses } from "../../budgets/purses.ts";
import type { AppContext } from "../../context.ts";
import type { AppError } from "../../errors.ts";
import { bindFiles, lockFiles } from "../../files/sending.ts";
import { OpenQuestions } from "../cards/open-questions.ts";
import { GuardOfBatch } from "../loop-guard/guard-at-write.ts";
import { MenusOfBatch } from "../menus/sending.ts";
import { ThreadsOfBatch } from "../threads/threads-of-batch.ts";
import { type Draft, fileIdsOf, type OpenStep, type Step, type StoredDraft } from "./draft.ts";
import { ExpectedContext } from "./expected-context.ts";

/** Gives files to the message that carries them, and refuses it if another one has taken one of them. */
class FilesOfBatch implements OpenStep {
  readonly #refusals = new Map<Draft, AppError>();

  static async open(_: AppContext, drafts: readonly Draft[]): Promise<OpenStep | null> {
    return drafts.some(({ files }) => files !== null) ? new FilesOfBatch() : null;
  }

  async enter(ctx: AppContext, _: number, drafts: readonly Draft[]): Promise<void> {
    for (const draft of drafts) {
      const refusal = draft.files === null ? null : await lockFiles(ctx, fileIdsOf(draft.files));
      if (refusal !== null) this.#refusals.set(draft, refusal);
    }
  }

  refusal(draft: Draft): AppError | null {
    return this.#refusals.get(draft) ?? null;
  }

  async write(ctx: AppContext, stored: readonly StoredDraft[]): Promise<void> {
    for (const { draft, answer } of stored)
      if (draft.files !== null) await bindFiles(ctx, fileIdsOf(draft.files), answer.row);
  }
}

/** Stores what features need besides the messages that show their records. */
class FeaturesOfBatch implements OpenStep {
  static async open(_: AppContext, drafts: readonly Draft[]): Promise<OpenStep | null> {
    return drafts.some(({ store }) => store !== undefined) ? new FeaturesOfBatch() : null;
  }

  async write(ctx: AppContext, stored: readonly StoredDraft[]): Promise<void> {
    for (const { draft, answer } of stored) await draft.store?.(ctx, answer.row);
  }
}

/** Counts messages against the budgets of their agents. */
class BudgetsOfBatch implements OpenStep {
  readonly #purses: Purses;

  private constructor(purses: Purses) {
    this.#purses = purses;
  }

  static async open(ctx: AppContext, drafts: readonly Draft[]): Promise<OpenStep | null> {
    const spenders = drafts.flatMap(({ counted }) => counted?.agentId ?? []);
    return spenders.length === 0 ? null : new BudgetsOfBatch(await Purses.open(ctx, spenders));
  }

  refusal(draft: Draft): AppError | null {
    const message = countedMessage(draft);
    return message === null ? null : this.#purses.refusal(message);
  }

  note(draft: Draft): void {
    const message = countedMessage(draft);
    if (message !== null) this.#purses.charge(message);
  }

  write(ctx: AppContext): Promise<void> {
    return this.#purses.close(ctx);
  }
}

/** What an agent did is in `card`, too, and is none: a card has a fingerprint. */
const countedMessage = ({ counted, channel_id, content, cardFingerprint, isMarkup }: Draft) =>
  counted === undefined
    ? null
    : { ...counted, channelId: channel_id, content, cards: cardFingerprint === null || isMarkup === true ? 0 : 1 };

/**
 * The steps, in the order in which they refuse a message, and in that of their locks: agents' rows before budgets, and
 * both before channels.
 */
const STEPS: readonly Step[] = [
  ExpectedContext,
  FilesOfBatch,
  ThreadsOfBatch,
  GuardOfBatch,
  OpenQuestions,
  MenusOfBatch,
  FeaturesOfBatch,
  BudgetsOfBatch,
];

/** Opens the steps that a batch needs; the last is that of a message that is stored alone. */
export async function openSteps(ctx: AppContext, drafts: readonly Draft[]): Promise<readonly OpenStep[]> {
  const steps: OpenStep[] = [];
  for (const each of [...STEPS, ...drafts.flatMap(({ step }) => step ?? [])]) {
    const step = await each.open(ctx, drafts);
    if (step !== null) steps.push(step);
  }
  return steps;
}
