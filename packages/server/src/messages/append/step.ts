import type { AppContext } from "../../context.ts";
import type { AppError } from "../../errors.ts";
import type { Appended, Draft } from "./draft.ts";

/** Begins a step of a batch that is stored in a transaction (`roadOf`). */
export interface Step {
  /**
   * Locks what the step needs before any channel is locked, on behalf of the drafts that may be stored. Returns null if
   * none of them needs the step.
   */
  open(ctx: AppContext, drafts: readonly Draft[]): Promise<OpenStep | null>;
}

/** A step during the transaction of a batch: it does what some messages need besides their rows. */
export interface OpenStep {
  /** Reads what decides about the drafts of one channel, whose row is locked. */
  enter?(ctx: AppContext, channelId: number, drafts: readonly Draft[]): Promise<void>;
  /** Returns why the draft can't be stored, or null. Drafts are asked in their order. */
  refusal?(draft: Draft): AppError | null;
  /** Counts a draft that will be stored. */
  note?(draft: Draft): void;
  /** Writes what belongs to the messages that were stored. */
  write?(ctx: AppContext, stored: readonly StoredDraft[]): Promise<void>;
}

/** A draft with its message. */
export interface StoredDraft {
  draft: Draft;
  answer: Appended;
}
