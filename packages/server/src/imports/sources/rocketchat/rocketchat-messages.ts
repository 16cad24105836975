import type { BlockContent } from "mdast";
import type { Millis } from "../../../db/columns.ts";
import {
  type Item,
  type LeftOut,
  type SourceMessage,
  type SourceReaction,
  type SourceUser,
  USERS_MAX,
} from "../../source.ts";
import { type Fields, fieldsOf, partOf, partsOf, TEXT_MAX, textOf, textsOf } from "../fields.ts";
import { PEOPLE, tooMany } from "../too-many.ts";
import { attachmentsOf, locationOf, quotedIn, wordsOfAttachments, wordsOfBlocks } from "./rocketchat-attachments.ts";
import { filesOf } from "./rocketchat-files.ts";
import type { Dump } from "./rocketchat-server.ts";
import { readText } from "./text/rocketchat-text.ts";
import { emojiNamed, type Names } from "./text/specials.ts";

const DAY = 24 * 60 * 60 * 1000;
/** A quote begins with a link that shows nothing, and is in an attachment. */
const QUOTE_LINK = /^(?:\[ ?\]\([^()\s]{1,2000}\)\s*){1,20}/;
const [REMOVED, ENCRYPTED] = ["rm", "e2e"];
const REACTIONS_MAX = 1_000;

/** The state of the reading of messages. */
export interface Reading {
  readonly dump: Dump;
  readonly now: Millis;
  /** People and bots who write messages, and are in no list. */
  readonly strangers: Map<string, SourceUser>;
  /** Messages read so far. */
  count: number;
}

const leftOut = (kind: LeftOut["kind"], reason: string, example: string): { leftOut: LeftOut } => ({
  leftOut: { kind, reason, example },
});

/** Reads one message. `place` says where it is, for what has no id. */
export function messageItems(
  value: Fields | null,
  place: string,
  reading: Reading,
  isWanted: (room: string) => boolean,
): Item<SourceMessage>[] {
  reading.count += 1;
  const fields = value ?? {};
  const [id, roomId] = [textOf(fields, "_id"), textOf(fields, "rid")];
  const room = reading.dump.server.rooms.get(roomId);
  if (room === undefined ? reading.dump.index.isOther(roomId) : !isWanted(roomId)) return [];
  const refusal = refusalOf(fields, reading.now);
  if (value === null) return [leftOut("message", "damaged", place)];
  if (refusal !== undefined) return [leftOut(...refusal, id || place)];
  return room === undefined ? [leftOut("message", "channel_missing", id)] : takenItems(fields, id, reading);
}

function refusalOf(message: Fields, now: Millis): [LeftOut["kind"], string] | undefined {
  const { ts, msg } = message;
  const type = textOf(message, "t");
  if (textOf(message, "_id") === "") return ["message", "no_id"];
  if (type === ENCRYPTED) return ["encrypted", type];
  // An earlier text of a message, which the server kept.
  if (message._hidden === true) return ["edit_history", "earlier_text"];
  if (type !== "" && type !== REMOVED)
    return ["system_message", /^[\w-]{1,64}$/.test(type) ? type.replaceAll("-", "_") : "unknown"];
  if (ts === undefined || ts === null) return ["message", "no_time"];
  if (typeof ts !== "number" || !Number.isFinite(ts)) return ["message", "wrong_time"];
  if (ts < 0) return ["message", "before_1970"];
  if (ts > now + DAY) return ["message", "in_future"];
  if (msg === undefined || msg === null) return undefined;
  if (typeof msg !== "string") return ["message", "wrong_type"];
  return msg.length > TEXT_MAX ? ["message", "too_long"] : undefined;
}

function takenItems(fields: Fields, id: string, reading: Reading): Item<SourceMessage>[] {
  const { dump, now } = reading;
  const isTombstone = fields.t === REMOVED;
  const names = namesOf(fields, dump);
  const replyToId = quotedIn(fields, names);
  const said = isTombstone ? [] : contentOf(fields, replyToId, names);
  const files = isTombstone ? [] : filesOf(fields, dump);
  if (!isTombstone && said.length === 0 && files.length === 0) return [leftOut("message", "empty", id)];
  const thread = textOf(fields, "tmid");
  const item: SourceMessage = {
    id,
    channelId: textOf(fields, "rid"),
    senderId: isTombstone ? null : senderOf(fields, reading),
    at: Math.floor(fields.ts as number),
    order: reading.count,
    text: { type: "root", children: said },
    threadId: thread === "" || thread === id ? null : thread,
    isAlsoInChannel: fields.tshow === true,
    replyToId: isTombstone ? null : replyToId,
    editedAt: isTombstone ? null : editedAt(fields, now),
    isTombstone,
    isPinned: fields.pinned === true && !isTombstone,
    reactions: isTombstone ? [] : reactionsOf(fields, dump),
    files,
  };
  return [{ item }];
}

function contentOf(fields: Fields, quoted: string | null, names: Names): BlockContent[] {
  const said = textOf(fields, "msg");
  // Without what it quotes, the link is all that there is of the quote.
  const hasQuote = attachmentsOf(fields).some((each) => textOf(each, "message_link") !== "");
  const words = hasQuote ? said.replace(QUOTE_LINK, "") : said;
  return [
    ...readText(words, names),
    ...locationOf(fields),
    ...wordsOfBlocks(fields, names),
    ...wordsOfAttachments(fields, quoted, names),
  ];
}

/** The message says whom it names: people and rooms may have other names now. */
function namesOf(fields: Fields, { server }: Dump): Names {
  const people = partsOf(fields, "mentions").map((each) => [textOf(each, "username"), textOf(each, "_id")] as const);
  const channels = partsOf(fields, "channels").map((each) => [textOf(each, "name"), textOf(each, "_id")] as const);
  const named = (pairs: (readonly [string, string])[]) =>
    new Map(pairs.filter(([name, id]) => name !== "" && id !== name));
  return { server, people: named(people), channels: named(channels) };
}

/** A clock that was wrong never makes an edit of the future. */
function editedAt({ editedAt }: Fields, now: Millis): Millis | null {
  return typeof editedAt === "number" && editedAt > 0 ? Math.min(Math.floor(editedAt), now) : null;
}

/** A message of an integration is by the name that this one gave itself. */
function senderOf(fields: Fields, { dump, strangers }: Reading): string | null {
  if (strangers.size + dump.server.names.size >= USERS_MAX) throw tooMany(dump.layout.archive.path, PEOPLE);
  const sender = partOf(fields, "u");
  const [id, alias] = [textOf(sender, "_id"), textOf(fields, "alias").slice(0, 200)];
  const isBot = fields.bot === true || fieldsOf(fields.bot) !== undefined;
  if (isBot && alias !== "") {
    const botId = `bot:${alias}`;
    if (!strangers.has(botId))
      strangers.set(botId, { id: botId, name: alias, displayName: alias, email: null, kind: "bot", isGone: false });
    return botId;
  }
  if (id === "") return null;
  if (!dump.server.names.has(id) && !strangers.has(id)) strangers.set(id, strangerOf(id, sender, isBot));
  return id;
}

const strangerOf = (id: string, sender: Fields, isBot: boolean): SourceUser => ({
  id,
  name: textOf(sender, "username") || `unknown-${id.toLowerCase()}`,
  displayName: textOf(sender, "name") || null,
  email: null,
  kind: isBot ? "bot" : "person",
  isGone: !isBot,
});

/** Two names of one emoji are one reaction. */
function reactionsOf(fields: Fields, { server }: Dump): SourceReaction[] {
  const people = new Map<string, Set<string>>();
  for (const [key, value] of Object.entries(partOf(fields, "reactions")).slice(0, REACTIONS_MAX)) {
    const [, name = "", tone] = /^:?(.{1,100}?)(?:_tone([1-5]))?:?$/.exec(key) ?? [];
    if (name === "") continue;
    const reaction = server.ownEmoji.has(name) ? name : (emojiNamed(name, tone) ?? name);
    const known = people.get(reaction) ?? new Set();
    for (const user of textsOf(fieldsOf(value) ?? {}, "usernames")) known.add(server.userIds.get(user) ?? user);
    people.set(reaction, known);
  }
  const reactions = [...people].map(([reaction, userIds]) => ({ reaction, userIds: [...userIds] }));
  return reactions.filter(({ userIds }) => userIds.length > 0);
}
