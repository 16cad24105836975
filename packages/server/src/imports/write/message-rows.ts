import { createHash } from "node:crypto";
import { REACTIONS_PER_MESSAGE } from "@parley/protocol/limits";
import { DELETED_USER } from "@parley/protocol/privacy";
import type { Insertable } from "kysely";
import type { ImportItemsTable } from "../../db/tables/imports.ts";
import type { ReactionsTable } from "../../db/tables/reactions.ts";
import type { HistoryRow } from "../../event-log/history.ts";
import { columnOf, type ReactionCount, reactionOf } from "../../event-log/reaction-counts.ts";
import type { Follower } from "../../messages/threads/history.ts";
import { type ImportCounts, noCounts } from "../counts.ts";
import { emojiNameOf } from "../emoji-name.ts";
import type { SourceReaction } from "../source.ts";
import type { StagedMessage } from "../stage.ts";
import type { Person, Place } from "./directory.ts";
import type { AbsentRoot } from "./plan.ts";
import type { PrintedText } from "./text.ts";

/** The rows that one transaction writes. */
export interface Batch {
  messages: HistoryRow[];
  items: Insertable<ImportItemsTable>[];
  reactions: Insertable<ReactionsTable>[];
  followers: Follower[];
  /** The files of each message, which are stored already. */
  files: { ids: number[]; message_id: number; channel_id: number; uploader_name: string }[];
  /** By the id of the root. */
  replies: Map<number, HistoryRow[]>;
  counts: ImportCounts;
  /** The newest numbers of the channels that it changes. */
  seqs: Map<Place, number>;
  /** Characters of the texts. */
  bytes: number;
}

export const newBatch = (): Batch => ({
  messages: [],
  items: [],
  reactions: [],
  followers: [],
  files: [],
  replies: new Map(),
  counts: noCounts(),
  seqs: new Map(),
  bytes: 0,
});

/** The rows that a batch writes. */
export const rowsIn = ({ messages, items, reactions, followers, replies, files }: Batch): number =>
  messages.length + items.length + files.length + reactions.length + followers.length + replies.size;

/** The sender of what nobody is known to have written. */
const NO_SENDER = { sender_type: "user", user_id: null, agent_id: null, sender_name: DELETED_USER } as const;

/** Returns the columns of a sender. Somebody who was erased stays so. */
const senderOf = (person: Person | null) =>
  person === null
    ? NO_SENDER
    : {
        sender_type: person.kind,
        user_id: person.kind === "user" ? person.id : null,
        agent_id: person.kind === "agent" ? person.id : null,
        sender_name: person.name,
      };

const BLANK = {
  type: "text" as const,
  content: "",
  reply_to_id: null,
  mentions: null,
  thread_root_id: null,
  also_in_channel: 0,
  files: null,
  thread: null,
  reactions: null,
  pinned_at: null,
  edited_at: null,
  deleted_at: null,
};

/** Returns the row of a message that the source does not have any more. */
export const absentRow = ({ at }: AbsentRoot, id: number, { id: channel_id }: Place, seq: number): HistoryRow => ({
  ...BLANK,
  ...NO_SENDER,
  id,
  channel_id,
  seq,
  created_at: at,
  deleted_at: at,
});

/** Facts that a message's rows need besides the message. */
export interface MessagePlace {
  /** The id of its first part. */
  id: number;
  channelId: number;
  /** The number before that of its first part. */
  seq: number;
  at: number;
  sender: Person | null;
  rootId: number | null;
  replyToId: number | null;
  isPinned: boolean;
}

/** Returns the rows of a message, one for each part. Everything but the text is at the first one. */
export function messageRows(
  message: StagedMessage,
  place: MessagePlace,
  parts: readonly PrintedText[],
  reactions: readonly ReactionCount[],
): HistoryRow[] {
  const { id, channelId: channel_id, seq, at: created_at, rootId: thread_root_id } = place;
  const also_in_channel = thread_root_id !== null && message.isAlsoInChannel ? 1 : 0;
  const common = { ...BLANK, ...senderOf(place.sender), channel_id, created_at, thread_root_id, also_in_channel };
  if (message.isTombstone) return [{ ...common, id, seq: seq + 1, deleted_at: created_at }];
  return parts.map(({ content, mentions }, part) => {
    const row = { ...common, id: id + part, seq: seq + part + 1, content, mentions: jsonOf(mentions) };
    if (part > 0) return row;
    return {
      ...row,
      reply_to_id: place.replyToId,
      reactions: columnOf(reactions),
      pinned_at: place.isPinned ? created_at : null,
      edited_at: message.editedAt,
    };
  });
}

const jsonOf = (mentions: PrintedText["mentions"]): string | null =>
  mentions.length === 0 ? null : JSON.stringify(mentions);

/** The reactions to a message, as its row counts them, and who gave them. */
export interface TakenReactions {
  counts: ReactionCount[];
  rows: { reaction: string; person: Person }[];
  /** By people who are not taken, of kinds that are no emoji, or beyond the kinds that a message may have. */
  leftOut: number;
}

/** Returns the reactions that a message may have in Parley. */
export function takenReactions(
  reactions: readonly SourceReaction[],
  personOf: (userId: string) => Person | null,
): TakenReactions {
  const kinds = new Map<string, Map<string, Person>>();
  let leftOut = 0;
  for (const { reaction: text, userIds } of reactions) {
    const reaction = reactionOf(text) ?? reactionOf(emojiNameOf(text));
    for (const userId of userIds) {
      const person = personOf(userId);
      const isTaken =
        person !== null && reaction !== null && (kinds.has(reaction) || kinds.size < REACTIONS_PER_MESSAGE);
      if (!isTaken) {
        leftOut += 1;
        continue;
      }
      const kind = kinds.get(reaction) ?? new Map<string, Person>();
      kind.set(`${person.kind} ${person.id}`, person);
      kinds.set(reaction, kind);
    }
  }
  const all = [...kinds];
  return {
    counts: all.map(([reaction, people]) => ({ reaction, count: people.size })),
    rows: all.flatMap(([reaction, people]) => [...people.values()].map((person) => ({ reaction, person }))),
    leftOut,
  };
}

/** Returns what tells whether a later export has another version of the message. */
export const contentHash = ({ text, editedAt, isTombstone }: StagedMessage): string =>
  createHash("sha256")
    .update(JSON.stringify([text, editedAt, isTombstone]))
    .digest("base64")
    .slice(0, 22);
