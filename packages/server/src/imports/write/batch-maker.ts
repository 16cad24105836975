import type { HistoryRow } from "../../event-log/history.ts";
import type { FilesOfMessage, StoredFiles } from "../files/take-files.ts";
import type { Stage, StagedMessage } from "../stage.ts";
import { type Directory, type Person, type Place, placeOf } from "./directory.ts";
import { giveFiles, joined } from "./joined-parts.ts";
import {
  absentRow,
  type Batch,
  contentHash,
  type MessagePlace,
  messageRows,
  newBatch,
  rowsIn,
  takenReactions,
} from "./message-rows.ts";
import { textParts } from "./message-text.ts";
import type { AbsentRoot, Plan } from "./plan.ts";
import type { Root } from "./roots.ts";
import type { Names } from "./text.ts";

/** Rows and characters that one transaction writes at most (protocol §14.1). */
const ROWS_MAX = 1_000;
const BYTES_MAX = 32 * 1024 * 1024;

export interface Making {
  readonly importId: number;
  readonly source: string;
  readonly stage: Stage;
  readonly plan: Plan;
  readonly directory: Directory;
  readonly names: Names;
  /** The first id of the import's block. */
  readonly firstId: number;
}

/**
 * Makes the rows of the next messages. It has no effect besides: a transaction that fails is made again from the same
 * place.
 */
export class BatchMaker {
  readonly #making: Making;
  readonly #known: ReadonlyMap<string, number>;
  readonly #files: StoredFiles;
  readonly batch: Batch = newBatch();
  /** The last place whose rows are in the batch. */
  place: number;

  /** `known`: those of the messages that an import took before, with their ids in Parley. */
  constructor(making: Making, place: number, known: ReadonlyMap<string, number>, files: StoredFiles) {
    this.#making = making;
    this.#known = known;
    this.#files = files;
    this.place = place;
  }

  /** True when the transaction has enough to write. */
  get isFull(): boolean {
    return rowsIn(this.batch) >= ROWS_MAX * 0.9 || this.batch.bytes >= BYTES_MAX;
  }

  /** Adds the rows of a place. */
  add(message: StagedMessage): void {
    const { plan, stage, firstId } = this.#making;
    const extra = plan.at(message.place);
    const start = firstId + plan.start(message.place);
    for (const [at, root] of (extra?.roots ?? []).entries()) this.#addAbsent(root, start + at);
    if (!plan.isMoved(message.place)) this.#addMessage(message, message.at);
    for (const { place } of extra?.replies ?? []) {
      const [reply] = stage.messagesAfter(place - 1, 1);
      if (reply === undefined) continue;
      this.#addMessage(reply, message.at);
      this.batch.counts.messages.changed += 1;
    }
    this.place = message.place;
  }

  #addAbsent(root: AbsentRoot, id: number): void {
    const channel = placeOf(this.#making.directory, root.channelId, root.at);
    if (channel === null || this.#known.has(root.id)) return;
    this.#push(absentRow(root, id, channel, this.#nextSeq(channel, 1) + 1));
    this.#item(root.id, id, null);
  }

  #addMessage(message: StagedMessage, at: number): void {
    const { directory, plan } = this.#making;
    const { counts } = this.batch;
    if (directory.channels.has(message.channelId) && this.#known.has(message.id)) {
      counts.messages.known += 1;
      return;
    }
    const channel = placeOf(directory, message.channelId, at);
    const isTombstone = message.isTombstone || (isEmpty(message) && plan.hasReplies(message.place));
    if (channel === null || (isEmpty(message) && !isTombstone)) {
      counts.messages.left_out += 1;
      return;
    }
    this.#write({ ...message, isTombstone }, channel, at);
  }

  #write(message: StagedMessage, channel: Place, at: number): void {
    const { directory, plan, firstId, names } = this.#making;
    const { counts } = this.batch;
    const sender = directory.people.get(message.senderId ?? "") ?? null;
    const reactions = takenReactions(message.reactions, (id) => directory.people.get(id) ?? null);
    const files: FilesOfMessage = this.#files.get(message.id) ?? { records: [], lost: message.files };
    const planned = plan.at(message.place)?.parts ?? 1;
    const parts = textParts(message, names, files.lost);
    const texts = joined(files.hasWholeText ? parts.slice(0, 1) : parts, planned, files.records.length);
    const place: MessagePlace = {
      id: firstId + plan.offsetOf(message.place),
      channelId: channel.id,
      seq: this.#nextSeq(channel, message.isTombstone ? 1 : texts.length),
      at,
      sender,
      rootId: this.#rootIdOf(message, channel),
      replyToId: this.#idOf(message, channel),
      isPinned: message.isPinned && plan.isPinned(message.channelId, message.place),
    };
    const rows = messageRows(message, place, texts, reactions.counts);
    this.batch.files.push(...giveFiles(rows, files.records));
    for (const row of rows) this.#push(row);
    this.#item(message.id, place.id, contentHash(message));
    counts.messages.taken += 1;
    if (message.isTombstone) return;
    for (const { reaction, person } of reactions.rows)
      this.batch.reactions.push({
        message_id: place.id,
        actor_kind: person.kind,
        actor_id: person.id,
        reaction,
        created_at: at,
      });
    counts.reactions.taken += reactions.rows.length;
    counts.reactions.left_out += reactions.leftOut;
    if (message.isPinned) counts.pins[place.isPinned ? "taken" : "left_out"] += 1;
    counts.files.taken += files.records.length;
    counts.files.left_out += files.lost.length;
    counts.mentions.taken += texts.reduce((sum, { mentions }) => sum + mentions.length, 0);
    // A root in another channel learns of it when the import is opened.
    if (place.rootId !== null && place.rootId > 0) this.#reply(message, place.rootId, rows, sender);
    else if (place.rootId !== null) counts.replies.taken += 1;
  }

  /** Notes a reply for its thread, which who began it and who replied follow. */
  #reply(message: StagedMessage, rootId: number, rows: readonly HistoryRow[], sender: Person | null): void {
    const { directory, plan } = this.#making;
    const { replies, followers, counts } = this.batch;
    counts.replies.taken += 1;
    replies.set(rootId, [...(replies.get(rootId) ?? []), ...rows]);
    const root = plan.roots.of(message);
    const beginner = directory.people.get(root?.senderId ?? "") ?? null;
    for (const person of [sender, beginner]) {
      const channelId = rows[0]?.channel_id ?? 0;
      if (person?.kind !== "user") continue;
      if (followers.some(({ userId, rootId: other }) => userId === person.id && other === rootId)) continue;
      followers.push({ userId: person.id, rootId, channelId, seq: rows[0]?.seq ?? 0 });
    }
  }

  /**
   * Returns the id of the message that began the thread; null for a message in the channel itself. It is negative while
   * the root is in the channel to which the messages will be added: until then nobody sees that it has this reply.
   */
  #rootIdOf(message: StagedMessage, channel: Place): number | null {
    const { plan, firstId, directory } = this.#making;
    const root = plan.roots.of(message);
    if (root === null || root.channelId !== message.channelId) return null;
    const known = this.#known.get(root.id);
    const isLate = directory.channels.get(message.channelId)?.isKnown === true;
    if (isLate && known !== undefined && !this.#isOwn(known))
      return this.#isEarlier(message.channelId, channel) ? null : -known;
    if (isLate && this.#placeOfRoot(root, message) !== channel) return null;
    if (known !== undefined) return known;
    const offset = root.place === null ? plan.offsetOfAbsent(root.id) : plan.offsetOf(root.place);
    return offset === null ? null : firstId + offset;
  }

  /** True for an id of this import's own block. */
  #isOwn(id: number): boolean {
    const { firstId, plan } = this.#making;
    return id >= firstId && id < firstId + plan.size;
  }

  #isEarlier(channelId: string, channel: Place): boolean {
    return this.#making.directory.late.get(channelId)?.earlier === channel;
  }

  #placeOfRoot(root: Root, { channelId }: StagedMessage): Place | null {
    const { plan, stage, directory } = this.#making;
    const [found] = root.place === null ? [plan.absentRoot(root.id)] : stage.messagesAfter(root.place - 1, 1);
    return found === undefined || found === null ? null : placeOf(directory, channelId, found.at);
  }

  /** Returns the id of the quoted message, if it is or will be in the same channel. */
  #idOf({ replyToId, channelId }: StagedMessage, channel: Place): number | null {
    if (replyToId === null) return null;
    const { plan, firstId } = this.#making;
    const known = this.#known.get(replyToId);
    if (known !== undefined) return this.#isEarlier(channelId, channel) && !this.#isOwn(known) ? null : known;
    const place = plan.roots.placeOf(replyToId);
    return place === null ? null : firstId + plan.offsetOf(place);
  }

  #push(row: HistoryRow): void {
    this.batch.messages.push(row);
    this.batch.bytes += row.content.length * 2 + 200;
  }

  #item(sourceId: string, id: number, hash: string | null): void {
    const { source, importId: import_id } = this.#making;
    this.batch.items.push({
      source,
      kind: "message",
      source_id: sourceId,
      parley_id: id,
      content_hash: hash,
      import_id,
    });
  }

  /** Takes numbers of a channel, and returns the one before them. */
  #nextSeq(channel: Place, count: number): number {
    const before = this.batch.seqs.get(channel) ?? channel.seq;
    this.batch.seqs.set(channel, before + count);
    return before;
  }
}

/** True for a message that shows nothing. */
export const isEmpty = ({ text, files, isTombstone }: StagedMessage): boolean =>
  !isTombstone &&
  files.length === 0 &&
  text.children.every(
    (node) =>
      node.type === "paragraph" && node.children.every((child) => child.type === "text" && child.value.trim() === ""),
  );
