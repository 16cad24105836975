import type { LeftOutKind, OpenSource, SourceChannel, SourceMessage, SourceUser } from "./source.ts";

/** Which messages the writing wants, in the order of time over all channels. */
export interface StagedMessage extends SourceMessage {
  /** Its place in the stage's order, from 1 without gaps. It decides the message's id (§14.4). */
  readonly place: number;
}

/** A channel without its members: all memberships together may be too many for the memory. */
export type StagedChannel = Omit<SourceChannel, "memberIds">;

/**
 * What was read of an export, on disk (`<data>/imports/staged/<fingerprint>.sqlite`). Everything that can be wrong with the input
 * was found before this exists, and the order is that of time (§14.1).
 */
export interface Stage extends AsyncDisposable {
  readonly workspace: OpenSource["workspace"];
  /** Messages in the stage. */
  readonly size: number;
  users(): readonly SourceUser[];
  channels(): readonly StagedChannel[];
  /** Returns the members of a channel at the time of the export. */
  membersOf(channelId: string): readonly string[];
  /** Returns at most `limit` messages whose place is above `after`, in order. Bounded by bytes too, so it may return fewer. */
  messagesAfter(after: number, limit: number): readonly StagedMessage[];
  /** Returns a staged message by its source id; a root that is not there has none. */
  message(id: string): StagedMessage | null;
  leftOut(): readonly StagedLeftOut[];
}

/** A stage that also knows what it has. */
export interface CountedStage extends Stage {
  counts(): StageCounts;
}

/** The content of a stage, in numbers. */
export interface StageCounts {
  readonly users: number;
  readonly agents: number;
  readonly channels: number;
  readonly messages: number;
  readonly replies: number;
  /** One for each person. */
  readonly reactions: number;
  readonly pins: number;
  /** Those whose bytes are in the export, those of which it has only a link, and those of which it has not even that. */
  readonly filesHere: Examples;
  readonly filesLinked: Examples;
  readonly filesElsewhere: Examples;
  readonly mentions: number;
  /** Replies that are older than the root of their thread, and so will get its time. */
  readonly moved: number;
  /** Characters replaced because no text can have them. */
  readonly replacedCharacters: number;
  /** Messages by the id of their channel. */
  readonly byChannel: Readonly<Record<string, number>>;
}

export interface Examples {
  readonly count: number;
  /** At most 5 ids. */
  readonly examples: readonly string[];
}

/** What is left out for one reason. */
export interface StagedLeftOut extends Examples {
  readonly kind: LeftOutKind;
  readonly reason: string;
}

/** Reads an export into a new stage at `path`. A finished stage of the same export is used again; what a killed process has left is replaced. */
export type StageExport = (source: OpenSource, path: string, progress: (read: number) => void) => Promise<CountedStage>;
