import type { ReactionsTable } from "../../db/tables/reactions.ts";
import type { MessageRow } from "../../event-log/message-json.ts";
import { countsOf } from "../../event-log/reaction-counts.ts";
import { summaryOf } from "../../event-log/thread-summary.ts";
import type { PrintedText } from "../../imports/write/text.ts";
import type { ExportWork } from "../export-work.ts";
import { contentOf } from "./content.ts";
import { type ExportFile, filesOf } from "./files.ts";
import { messagesOf, packetsOf, reactionsTo } from "./messages.store.ts";
import type { Person } from "./people.ts";

/** Messages that are read at once. */
export const PAGE_ROWS = 500;
/** Reactions that are read at once, unless one message has more. */
const REACTIONS_AT_ONCE = 20_000;

export interface ExportReaction {
  readonly reaction: string;
  readonly people: readonly { readonly person: Person; readonly at: number }[];
}

/** A message that an export takes. */
export interface ExportMessage {
  readonly row: MessageRow;
  readonly sender: Person;
  /** With what the message shows besides its text, such as the options of a poll. */
  readonly text: PrintedText;
  readonly reactions: readonly ExportReaction[];
  readonly files: readonly ExportFile[];
  /** The message that it answers, outside of threads. */
  readonly quoted: { readonly row: MessageRow; readonly sender: Person } | null;
}

/** A message with a thread that is not taken itself: deleted, too old, or by somebody who is left out. */
export interface AbsentRoot {
  readonly row: MessageRow;
  readonly sender: null;
}

type Replies = { readonly replies: number };
/** A message, with the number of the replies to it that are not deleted. */
export type Exported = (ExportMessage | AbsentRoot) & Replies;

/** Reads what belongs to the messages of a page, and counts what is taken. What is left out is not among the result. */
export async function exportedOf(work: ExportWork, rows: readonly MessageRow[]): Promise<Exported[]> {
  work.tally.reading(rows.length);
  const senders = new Map(rows.map((row) => [row.id, takenSender(work, row)]));
  const taken = rows.filter(({ id }) => typeof senders.get(id) === "object");
  const reactions = await reactionsOf(work, taken);
  const files = await filesOf(work, taken);
  const packets = await packetsOf(work.db, present(taken.map(({ packet_id }) => packet_id)));
  const quoted = await messagesOf(work.db, present(taken.map(({ reply_to_id }) => reply_to_id)));
  const [packetById, quotedById] = [new Map(packets.map((each) => [each.id, each])), byId(quoted)];
  work.progress(work.tally.read);
  return rows.flatMap((row): Exported[] => {
    const sender = senders.get(row.id);
    const replies = summaryOf(row.thread).count;
    if (typeof sender !== "object") {
      note(work, row, sender);
      return replies > 0 ? [{ row, sender: null, replies }] : [];
    }
    const answered = quotedById.get(row.reply_to_id ?? 0);
    const { shown, lost } = files.get(row.id) ?? { shown: [], lost: [] };
    const message: ExportMessage = {
      row,
      sender,
      text: contentOf(row, { files: shown, lost, packet: packetById.get(row.packet_id ?? 0) }),
      reactions: reactions.get(row.id) ?? [],
      files: shown,
      quoted: answered === undefined ? null : quotedIn(work, row, answered),
    };
    count(work, message);
    return [{ ...message, replies }];
  });
}

const present = (ids: readonly (number | null)[]): number[] => [...new Set(ids.filter((id) => id !== null))];
const byId = (rows: readonly MessageRow[]) => new Map(rows.map((row) => [row.id, row]));

/** Returns who wrote a message; if it is not taken, why. */
function takenSender({ people, choice }: ExportWork, row: MessageRow): Person | string {
  if (row.deleted_at !== null) return "deleted";
  if (row.expires_at !== null) return "expires";
  const sender = people.senderOf(row);
  if (sender === null) return "system_message";
  if (choice.since !== null && row.created_at < choice.since) return "before_since";
  return sender.isTaken ? sender : "not_chosen";
}

/** Nobody misses what was deleted, so that is not counted. */
function note({ tally }: ExportWork, row: MessageRow, reason = "deleted"): void {
  if (reason === "deleted") return;
  const isNotice = reason === "system_message";
  const what = isNotice ? { kind: "system_message" as const, reason: row.type } : { kind: "message" as const, reason };
  tally.leaveOut({ ...what, example: String(row.id) });
}

function quotedIn(work: ExportWork, row: MessageRow, answered: MessageRow): ExportMessage["quoted"] {
  // In a thread, the answer to the message that began it says nothing new.
  if (answered.channel_id !== row.channel_id || answered.id === row.thread_root_id) return null;
  const sender = takenSender(work, answered);
  return typeof sender === "object" ? { row: answered, sender } : null;
}

function count({ tally, people }: ExportWork, { row, text, reactions }: ExportMessage): void {
  tally.take("messages");
  if (row.thread_root_id !== null) tally.take("replies");
  if (row.pinned_at !== null) tally.take("pins");
  tally.take(
    "reactions",
    reactions.reduce((sum, each) => sum + each.people.length, 0),
  );
  const known = text.mentions.filter(({ name }) => people.named(name)?.isTaken === true);
  tally.take("mentions", known.length);
}

/** Returns the reactions to each message, in the order of their first use. */
async function reactionsOf(work: ExportWork, rows: readonly MessageRow[]): Promise<Map<number, ExportReaction[]>> {
  const found = new Map<number, ExportReaction[]>();
  for (const some of inBatches(rows)) {
    const given = await reactionsTo(
      work.db,
      some.map(({ id }) => id),
    );
    const byMessage = Map.groupBy(given, ({ message_id }) => message_id);
    for (const row of some) {
      const kinds = Map.groupBy(byMessage.get(row.id) ?? [], ({ reaction }) => reaction);
      const order = countsOf(row.reactions).map(({ reaction }) => reaction);
      const reactions = [...new Set([...order, ...kinds.keys()])].map((reaction) => ({
        reaction,
        people: reactors(work, kinds.get(reaction) ?? []),
      }));
      found.set(
        row.id,
        reactions.filter(({ people }) => people.length > 0),
      );
    }
  }
  return found;
}

/** Splits messages with reactions so that not too many of these are read at once. */
function* inBatches(rows: readonly MessageRow[]): Generator<MessageRow[]> {
  let [batch, size]: [MessageRow[], number] = [[], 0];
  for (const row of rows) {
    if (row.reactions === null) continue;
    const own = countsOf(row.reactions).reduce((sum, { count }) => sum + count, 0);
    if (batch.length > 0 && size + own > REACTIONS_AT_ONCE) {
      yield batch;
      [batch, size] = [[], 0];
    }
    batch.push(row);
    size += own;
  }
  if (batch.length > 0) yield batch;
}

type Given = Pick<ReactionsTable, "actor_kind" | "actor_id" | "created_at" | "message_id">;

function reactors({ people, tally }: ExportWork, given: readonly Given[]): { person: Person; at: number }[] {
  return given.flatMap(({ actor_kind, actor_id, created_at, message_id }) => {
    const person = actor_kind === "user" ? people.userOf(actor_id) : people.agentOf(actor_id);
    if (person.isTaken) return [{ person, at: created_at }];
    tally.leaveOut({ kind: "reaction", reason: "not_chosen", example: String(message_id) });
    return [];
  });
}
