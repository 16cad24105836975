import type { Literal, Node, Nodes, Root } from "mdast";
import type { Millis } from "../db/columns.ts";

/** The chats whose exports Parley reads (protocol §14.0). */
export type SourceFormat = "slack" | "mattermost" | "discord" | "zulip" | "telegram" | "rocketchat";

/** The most people and bots of an export, and the most channels. */
export const [USERS_MAX, CHANNELS_MAX] = [200_000, 50_000];

/** A person, bot or integration of the export. */
export interface SourceUser {
  /** The source's own id. */
  readonly id: string;
  /** The handle, from which the username is made. */
  readonly name: string;
  /** Becomes the display name; null if the source has none. */
  readonly displayName: string | null;
  readonly email: string | null;
  /** The picture; absent if the export does not have it. */
  readonly avatar?: SourceFile;
  readonly kind: "person" | "bot";
  /** Deactivated or deleted in the source, or named by messages only: the account is suspended. */
  readonly isGone: boolean;
}

export interface SourceChannel {
  readonly id: string;
  /** Empty for conversations. */
  readonly name: string;
  /** `group`: a conversation of three or more, which becomes a private channel of nobody. */
  readonly kind: "public" | "private" | "direct" | "group";
  readonly topic: string;
  readonly isArchived: boolean;
  readonly creatorId: string | null;
  /** The members at the time of the export. */
  readonly memberIds: readonly string[];
  readonly createdAt: Millis | null;
}

/** A mention of a person of the export, within a text. If that person is not taken, the text says `label` instead. */
export interface SourceMention extends Node {
  type: "sourceMention";
  userId: string;
  label: string;
}

/** A channel of the export, named in a text. */
export interface SourceChannelName extends Node {
  type: "sourceChannel";
  channelId: string;
  label: string;
}

/**
 * Markdown of a source whose texts are Markdown already. It is printed as it is, so that what the tree cannot say, such as a
 * table, stays. It may have several blocks, although it is in a paragraph, because names are between its parts.
 */
export interface SourceMarkdown extends Literal {
  type: "sourceMarkdown";
}

declare module "mdast" {
  interface PhrasingContentMap {
    sourceMarkdown: SourceMarkdown;
    sourceMention: SourceMention;
    sourceChannel: SourceChannelName;
  }
  interface RootContentMap {
    sourceMarkdown: SourceMarkdown;
    sourceMention: SourceMention;
    sourceChannel: SourceChannelName;
  }
  interface LinkData {
    /** The link leads to this message or channel of the export. Its address becomes Parley's if that was taken. */
    target?: { channelId: string; messageId: string | null };
  }
}

/** A text of the source as a tree of Markdown. It is JSON, and is printed when the names of the people are known. */
export type SourceText = Root;
export type SourceTextNode = Nodes;

export interface SourceFile {
  readonly id: string;
  readonly name: string;
  readonly mimeType: string | null;
  readonly size: number | null;
  /** The description, for those who cannot see it. */
  readonly alt: string | null;
  /** Where the bytes are in the export (`OpenSource.file`); null if they are not there. */
  readonly path: string | null;
  /** The source's link to the bytes, which may hold a token: it is in no text, log or report. */
  readonly url: string | null;
}

export interface SourceReaction {
  /** An emoji, or a short name without colons that is none of the known ones. */
  readonly reaction: string;
  readonly userIds: readonly string[];
}

/** An emoji that the workspace made itself. In texts and reactions it is its short name. */
export interface SourceEmoji {
  /** The short name without colons. */
  readonly name: string;
  readonly picture: SourceFile;
}

export interface SourceMessage {
  /** Unique in the workspace, and the same in a later export: `<channel>/<ts>` for Slack. */
  readonly id: string;
  readonly channelId: string;
  /** Null: unknown to the source. It becomes a suspended user `unknown-<id>`. */
  readonly senderId: string | null;
  /** Rounded down to the millisecond. */
  readonly at: Millis;
  /** Decides among messages of one channel with the same `at`: the place in the source. */
  readonly order: number;
  readonly text: SourceText;
  /** The id of the message that began the thread; null in the channel itself. */
  readonly threadId: string | null;
  readonly isAlsoInChannel: boolean;
  readonly replyToId: string | null;
  readonly editedAt: Millis | null;
  /** Deleted in the source: only its place is kept. */
  readonly isTombstone: boolean;
  readonly isPinned: boolean;
  readonly reactions: readonly SourceReaction[];
  readonly files: readonly SourceFile[];
}

/** What is left out, by kind (protocol §14.0, `left_out`). */
export type LeftOutKind =
  | "user"
  | "channel"
  | "direct"
  | "message"
  | "system_message"
  | "encrypted"
  | "reaction"
  | "file"
  | "pin"
  | "mention"
  | "emoji"
  | "edit_history";

/** A record that does not become anything. `example`: its id in the source, never its text. */
export interface LeftOut {
  readonly kind: LeftOutKind;
  /** A stable word for programs, such as `no_time`. */
  readonly reason: string;
  readonly example: string;
  /** How many it stands for, if they are not named one by one; otherwise one. */
  readonly times?: number;
}

/** A reader yields records, and says what it leaves out. One bad record never ends an import (§14.8). */
export type Item<T> = { readonly item: T } | { readonly leftOut: LeftOut };

/**
 * An export that is open for reading. Each list is a stream that can be read once at a time, and again from its start.
 * What is wrong with the export itself (cut off, encrypted, of another chat) throws a `SourceError`, whose message says
 * which file, what is wrong, and what to do.
 */
export interface OpenSource extends AsyncDisposable {
  readonly format: SourceFormat;
  /** Identifies the workspace, so that a second export of it is recognised. */
  readonly workspace: { readonly id: string; readonly name: string };
  /** SHA-256 of the export's directory and sizes, hex: the same file again goes on where it stopped. */
  readonly fingerprint: string;
  /** Bytes of its records, without files: a stage needs about as many on the disk. */
  readonly recordBytes: number;
  /** What this export does not have, and how the source gives it, as sentences. */
  readonly lacks: readonly string[];
  users(): AsyncIterable<Item<SourceUser>>;
  channels(): AsyncIterable<Item<SourceChannel>>;
  /** Reads the emoji of which the export has pictures; absent if exports of this chat have none. */
  emoji?(): AsyncIterable<Item<SourceEmoji>>;
  /** Reads the messages of all channels, or of these. */
  messages(channelIds?: ReadonlySet<string>): AsyncIterable<Item<SourceMessage>>;
  /** Returns the people and bots who wrote messages but are in no list. Complete when `messages` was read to its end. */
  strangers(): Iterable<SourceUser>;
  /** Characters replaced so far because no text can have them: U+0000 and halves of surrogate pairs. */
  readonly replacedCharacters: number;
  /** Opens the bytes of a file of the export. */
  file(path: string): Promise<ReadableStream<Uint8Array>>;
}

/** The export cannot be read. The message is for the person at the terminal: which file, what is wrong, what to do. */
export class SourceError extends Error {}
