import type { Item, LeftOut, OpenSource, SourceChannel, SourceMessage, SourceUser } from "./source.ts";

/** Which messages the writing wants, in the order of time over all channels. */
export interface StagedMessage extends SourceMessage {
  /** It is not in the export: a tombstone that stands for the absent root of a thread. It counts as no message. */
  readonly isAbsentRoot: boolean;
  /** Its place in the stage's order, from 1 without gaps. It decides the message's id (§14.4). */
  readonly place: number;
}

/**
 * What was read of an export, on disk (`<data>/imports/<id>/stage.sqlite`). Everything that can be wrong with the input
 * was found before this exists, and the order is that of time (§14.1).
 */
export interface Stage extends AsyncDisposable {
  readonly workspace: OpenSource["workspace"];
  /** Messages in the stage. */
  readonly size: number;
  users(): readonly SourceUser[];
  channels(): readonly SourceChannel[];
  /** Returns at most `limit` messages whose place is above `after`, in order. Bounded by bytes too, so it may return fewer. */
  messagesAfter(after: number, limit: number): readonly StagedMessage[];
  /** Returns a staged message by its source id; a root that is not there has none. */
  message(id: string): StagedMessage | null;
  leftOut(): readonly (LeftOut & { readonly count: number; readonly examples: readonly string[] })[];
}

/** Reads an export into a new stage at `path`. Finishes a stage that a killed process left, or begins it anew. */
export type StageExport = (source: OpenSource, path: string, progress: (read: number) => void) => Promise<Stage>;

export type { Item };
