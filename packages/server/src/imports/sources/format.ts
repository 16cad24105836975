import type { Clock } from "../../clock.ts";
import type { GuidePage } from "../../module.ts";
import type { Archive } from "../archive/archive.ts";
import type { OpenSource, SourceFormat } from "../source.ts";

/** Options of the reading, beside which part of a source is taken. */
export interface SourceOptions {
  /** Nothing is later than this. */
  readonly clock: Pick<Clock, "now">;
  /** The time zone of times that have none (`--zone`), as IANA names it. */
  readonly zone: string;
  /** Channels that everybody may read, by name or id, of a source that does not say who may (`--open`, protocol §14.6). */
  readonly open: "all" | ReadonlySet<string>;
}

/** The target of a link, as the map of imports knows it (`SourceChannel.id`, `SourceMessage.id`). */
export interface OldLink {
  readonly channelId: string | null;
  /** Null: it leads to the channel. */
  readonly messageId: string | null;
}

/** A chat whose exports Parley reads. Its folder exports one value of this type, and formats.ts lists them. */
export interface Format {
  /** As the command line and reports name it: `parley import <id>`. */
  readonly id: SourceFormat;
  /** As people name it. */
  readonly name: string;
  /** True for the name of a file by which an export of this chat is known, at the top or one folder below. */
  isSign(fileName: string): boolean;
  /** Ends the sentence "… is no export of <name>": what is missing, and what to name instead. */
  readonly expected: string;
  /** Additional text for `--help`: which forms of an export it takes. */
  readonly help: string;
  /** True: its exports do not say who may read a channel, so `--open` says it. */
  readonly hasOpen?: true;
  /** True: its exports may have times without a zone, so `--zone` names it. */
  readonly hasZone?: true;
  /** The hosts of the chat's own files, which may be fetched by the links of an export; absent: none. */
  readonly fileHosts?: RegExp;
  readonly guide: GuidePage;
  /**
   * Returns which message or channel a link of this chat meant, by their ids in the source; null if it is none. The host may
   * be any: links of a chat that moved have its old name.
   */
  oldLink?(url: URL): OldLink | null;
  /**
   * Opens an export; null if the archive has none. The caller closes the archive if it has none, or throws; afterwards the
   * source does. Errors: `SourceError`.
   */
  open(archive: Archive, options: SourceOptions): Promise<OpenSource | null>;
}
