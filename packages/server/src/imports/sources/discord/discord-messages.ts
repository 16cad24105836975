import type { Root } from "mdast";
import type { Millis } from "../../../db/columns.ts";
import type { Archive } from "../../archive/archive.ts";
import type { Item, LeftOut, SourceFile, SourceMessage } from "../../source.ts";
import { CharacterBudget } from "../character-budget.ts";
import { type Fields, fieldsOf, partOf, partsOf, TEXT_MAX, textOf } from "../fields.ts";
import { isoTime, timeProblem } from "../iso-time.ts";
import { authorIdOf } from "./authors.ts";
import { contentOf, paragraph } from "./discord-content.ts";
import { filesOf } from "./discord-media.ts";
import { reactionsOf } from "./discord-reactions.ts";
import { isSaid, noticeReason } from "./message-types.ts";
import type { Room, RoomFile, Rooms, Thread } from "./rooms.ts";
import { idOf, orderOfId } from "./snowflake.ts";
import type { DiscordNames, TextContext } from "./text/references.ts";

/** Discord allows fewer mentions in a message. */
const MENTIONED_MAX = 100;

/** The state of the reading of a file. */
export interface Reading {
  readonly archive: Archive;
  readonly rooms: Rooms;
  readonly room: Room;
  readonly file: RoomFile;
  readonly names: DiscordNames;
  readonly now: Millis;
  /** Notes somebody who wrote, or reacted in a conversation. */
  seen(userId: string): void;
}

/** Reads one record of a file. `place` says where it is, for what has no id. */
export function messageItems(reading: Reading, value: unknown, place: string): Item<SourceMessage>[] {
  const fields = fieldsOf(value);
  if (fields === undefined) return [leftOut("message", "wrong_type", place)];
  const id = idOf(fields, "id");
  if (id === "") return [leftOut("message", "no_id", place)];
  const began = threadOfNotice(reading, fields, id);
  if (began === undefined && !isSaid(fields)) return [leftOut("system_message", noticeReason(fields), id)];
  const at = isoTime(fields.timestamp, "UTC");
  const problem = timeProblem(at, textOf(fields, "timestamp") === "", reading.now) ?? textProblem(fields);
  if (problem !== undefined) return [leftOut("message", problem, id)];
  if (began !== undefined) return [{ item: noticeOf(reading, fields, { id, at: at ?? 0, name: began.name }) }];
  return takenItems(reading, fields, id, at ?? 0);
}

const leftOut = (kind: LeftOut["kind"], reason: string, example: string, times = 1): { leftOut: LeftOut } => ({
  leftOut: { kind, reason, example, ...(times === 1 ? {} : { times }) },
});

function textProblem({ content }: Fields): string | undefined {
  if (content === undefined || content === null) return undefined;
  if (typeof content !== "string") return "wrong_type";
  return content.length > TEXT_MAX ? "too_long" : undefined;
}

/** Returns the thread that begins with this notice; undefined if it is another message. */
function threadOfNotice({ rooms, room }: Reading, fields: Fields, id: string): Thread | undefined {
  const thread = rooms.threads.get(idOf(partOf(fields, "reference"), "channelId"));
  return thread?.rootId === id && thread.roomId === room.id && thread.id !== id ? thread : undefined;
}

/** The facts that every message has. */
interface Facts {
  readonly id: string;
  readonly at: Millis;
  readonly text: Root;
  readonly files: readonly SourceFile[];
}

function noticeOf(reading: Reading, fields: Fields, { id, at, name }: { id: string; at: Millis; name: string }) {
  const text: Root = { type: "root", children: [paragraph([{ type: "text", value: name || "Thread" }])] };
  return { ...messageOf(reading, fields, { id, at, text, files: [] }), replyToId: null };
}

function takenItems(reading: Reading, fields: Fields, id: string, at: Millis): Item<SourceMessage>[] {
  const { archive, file, room } = reading;
  const budget = new CharacterBudget();
  const isBot = partOf(fields, "author").isBot === true;
  // The post of a forum: its thread has its first message, too.
  const title = file.thread?.id === id ? file.thread.name || null : null;
  const text = contentOf(fields, title, isBot, { context: contextOf(reading.names, fields), budget });
  if (budget.isUsedUp) return [leftOut("message", "too_long", id)];
  const files = [
    ...filesOf(archive, file.file.name, fields, isBot),
    ...filesOf(archive, file.file.name, partOf(fields, "forwardedMessage"), true),
  ];
  if (text.children.length === 0 && files.length === 0) return [leftOut("message", "empty", id)];
  const { reactions, unnamed } = reactionsOf(fields);
  const item = { ...messageOf(reading, fields, { id, at, text, files }), reactions };
  if (room.kind === "direct" || room.kind === "group") {
    for (const userId of reactions.flatMap(({ userIds }) => userIds)) reading.seen(userId);
  }
  return [...(unnamed > 0 ? [leftOut("reaction", "people_not_named", id, unnamed)] : []), { item }];
}

function messageOf(reading: Reading, fields: Fields, { id, at, text, files }: Facts): SourceMessage {
  const { room, file, now } = reading;
  const senderId = authorIdOf(partOf(fields, "author")) || null;
  if (senderId !== null) reading.seen(senderId);
  const editedAt = isoTime(fields.timestampEdited, "UTC");
  const rootId = file.thread?.rootId ?? null;
  return {
    id,
    channelId: room.id,
    senderId,
    at,
    order: orderOfId(id),
    text,
    threadId: rootId === id ? null : rootId,
    isAlsoInChannel: false,
    replyToId: quotedId(reading, partOf(fields, "reference")),
    // A clock that was wrong never makes an edit of the future.
    editedAt: editedAt === undefined ? null : Math.min(Math.max(editedAt, 0), now),
    isTombstone: false,
    isPinned: fields.isPinned === true,
    reactions: [],
    files,
  };
}

/** A quote of another channel has no counterpart. */
function quotedId({ rooms, room }: Reading, reference: Fields): string | null {
  if (textOf(reference, "type") === "Forward") return null;
  const channelId = idOf(reference, "channelId");
  const isHere = channelId === "" || channelId === room.id || rooms.threads.get(channelId)?.roomId === room.id;
  return (isHere && idOf(reference, "messageId")) || null;
}

/** Returns what the texts of a message may refer to. */
function contextOf(names: DiscordNames, message: Fields): TextContext {
  const people = partsOf(message, "mentions").slice(0, MENTIONED_MAX);
  const mentioned = people
    .flatMap((user) => ["nickname", "name"].map((field) => ({ id: idOf(user, "id"), name: textOf(user, field) })))
    .filter(({ id, name }) => id !== "" && name !== "" && name.length <= 100)
    .toSorted((one, other) => other.name.length - one.name.length);
  const own = partsOf(message, "inlineEmojis").filter((emoji) => idOf(emoji, "id") !== "");
  return {
    names: { ...names, person: (id) => names.person(id) ?? mentioned.find((each) => each.id === id)?.name },
    mentioned,
    ownEmoji: new Set(own.map((emoji) => textOf(emoji, "name"))),
  };
}
