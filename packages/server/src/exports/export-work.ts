import type { AppContext } from "../context.ts";
import type { Db } from "../db/db.ts";
import type { FileStorage } from "../files/storage/file-storage.ts";
import type { ChannelChoice } from "../imports/channel-choice.ts";
import type { ExportTally } from "./export-tally.ts";
import type { ExportChannel } from "./read/channels.ts";
import type { People, PeopleChoice } from "./read/people.ts";
import type { Target } from "./target/target.ts";

/** The part of the server's data that an export takes. */
export interface ExportChoice {
  readonly channels: ChannelChoice;
  readonly people: PeopleChoice;
  /** Older messages are left out; null: none. Epoch milliseconds. */
  readonly since: number | null;
  readonly withFiles: boolean;
}

/** The data and tools that the parts of an export share. */
export interface ExportWork {
  /** A snapshot: what is written to the server meanwhile is not in it. */
  readonly db: Db;
  readonly config: AppContext["config"];
  readonly storage: FileStorage;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly choice: ExportChoice;
  readonly people: People;
  readonly channels: readonly ExportChannel[];
  readonly tally: ExportTally;
  readonly target: Target;
  /** Called after each page with the messages that are read. */
  progress(read: number): void;
}
