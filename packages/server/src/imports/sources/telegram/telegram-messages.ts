import { LRUCache } from "lru-cache";
import type { Millis } from "../../../db/columns.ts";
import type { Item, LeftOut, SourceMessage, SourceReaction } from "../../source.ts";
import { CharacterBudget } from "../character-budget.ts";
import { emojiOfName } from "../emoji-names.ts";
import { countOf, type Fields, fieldsOf, partsOf, textOf } from "../fields.ts";
import { timeProblem } from "../iso-time.ts";
import type { ChatTarget } from "./entities.ts";
import { messageTime } from "./message-time.ts";
import { numberOf, peerOf } from "./peers.ts";
import type { Layout } from "./result-file.ts";
import type { Chat } from "./survey.ts";
import { contentOf, paragraph, text } from "./telegram-content.ts";
import { filesOf } from "./telegram-files.ts";

/** Messages of which is remembered in which topic they are. Replies are near to what they reply to. */
const TOPICS_KEPT = 50_000;
const COUNT_MAX = 1_000_000;

/** The state of the reading of a chat. */
export class Reading {
  readonly layout: Layout;
  readonly chat: Chat;
  readonly zone: string;
  readonly now: Millis;
  readonly target: ChatTarget;
  /** Notes somebody who wrote. */
  readonly seen: (userId: string) => void;
  /** The topics of messages by their numbers; "" for those in none. */
  readonly topics = new LRUCache<string, string>({ max: TOPICS_KEPT });

  constructor({
    layout,
    chat,
    zone,
    now,
    target,
    seen,
  }: Pick<Reading, "layout" | "chat" | "zone" | "now" | "target" | "seen">) {
    this.layout = layout;
    this.chat = chat;
    this.zone = zone;
    this.now = now;
    this.target = target;
    this.seen = seen;
  }
}

/** Reads one record of a chat. `place` says where it is, for what has no number. */
export function messageItems(reading: Reading, value: unknown, place: string): Item<SourceMessage>[] {
  const fields = fieldsOf(value);
  if (fields === undefined) return [leftOut("message", "wrong_type", place)];
  const number = numberOf(fields, "id");
  if (number === "") return [leftOut("message", "no_id", place)];
  const id = `${reading.chat.id}/${number}`;
  const refusal = refusalOf(fields);
  if (refusal !== undefined) return [leftOut(...refusal, id)];
  const at = messageTime(fields, reading.zone);
  const isAbsent = (fields.date ?? "") === "" && (fields.date_unixtime ?? "") === "";
  const problem = timeProblem(at, isAbsent, reading.now);
  if (problem !== undefined) return [leftOut("message", problem, id)];
  return fields.type === "service"
    ? [topicOf(reading, fields, number, at ?? 0)]
    : takenItems(reading, fields, number, at ?? 0);
}

const leftOut = (kind: LeftOut["kind"], reason: string, example: string, times = 1): { leftOut: LeftOut } => ({
  leftOut: { kind, reason, example, ...(times === 1 ? {} : { times }) },
});

function refusalOf(fields: Fields): [LeftOut["kind"], string] | undefined {
  const { type } = fields;
  if (type === "message") return undefined;
  if (type === "unsupported") return ["message", "unsupported"];
  if (type !== "service") return ["message", "wrong_type"];
  const action = textOf(fields, "action");
  if (action === "topic_created") return undefined;
  return ["system_message", /^[a-z][a-z_]{0,63}$/.test(action) ? action : "unknown"];
}

/** A topic begins with a notice, which becomes the message that began the thread. */
function topicOf(reading: Reading, fields: Fields, number: string, at: Millis): Item<SourceMessage> {
  const title = textOf(fields, "title").trim() || "Topic";
  const root = { type: "root" as const, children: [paragraph([text(title)])] };
  const message = messageOf(reading, fields, { number, at, sender: "actor" });
  reading.topics.set(number, number);
  return { item: { ...message, text: root, threadId: null, replyToId: null } };
}

function takenItems(reading: Reading, fields: Fields, number: string, at: Millis): Item<SourceMessage>[] {
  const id = `${reading.chat.id}/${number}`;
  const files = filesOf(reading.layout, fields, id);
  const budget = new CharacterBudget();
  const content = contentOf(fields, budget, reading.target);
  if (budget.isUsedUp) return [leftOut("message", "too_long", id)];
  const emoji = textOf(fields, "sticker_emoji");
  // A sticker that is not in the export is the emoji that it stands for.
  const isEmoji = emoji !== "" && files.every(({ path }) => path === null);
  if (isEmoji) content.children.push(paragraph([text(emoji)]));
  const kept = isEmoji ? [] : files;
  if (content.children.length === 0 && kept.length === 0) return [leftOut("message", "empty", id)];
  const { reactions, lost } = reactionsOf(fields);
  const item: SourceMessage = {
    ...messageOf(reading, fields, { number, at, sender: "from" }),
    text: content,
    files: kept,
    reactions,
  };
  return [...[...lost].map(([reason, times]) => leftOut("reaction", reason, id, times)), { item }];
}

interface Facts {
  readonly number: string;
  readonly at: Millis;
  readonly sender: "from" | "actor";
}

function messageOf(reading: Reading, fields: Fields, { number, at, sender }: Facts): SourceMessage {
  const { chat, zone, now } = reading;
  const senderId = peerOf(fields, `${sender}_id`) || null;
  if (senderId !== null) reading.seen(senderId);
  const editedAt = messageTime(fields, zone, "edited");
  const quoted = quotedIn(chat, fields);
  const { thread, quote } = placeOf(reading, number, quoted);
  const idOf = (other: string): string | null => (other === "" ? null : `${chat.id}/${other}`);
  return {
    id: `${chat.id}/${number}`,
    channelId: chat.id,
    senderId,
    at,
    // Messages of the group that a larger one came from have negative numbers, which ascend, too.
    order: Number(number),
    text: { type: "root", children: [] },
    threadId: idOf(thread),
    isAlsoInChannel: false,
    replyToId: idOf(quote),
    // Exports of 2018 to 2020 have the year 1970 as the time of an edit that never was. A clock that was wrong never makes
    // an edit of the future.
    editedAt: editedAt === undefined || editedAt < at ? null : Math.min(editedAt, now),
    isTombstone: false,
    isPinned: chat.pins.has(number),
    reactions: [],
    files: [],
  };
}

/** A quote of another chat has no counterpart. */
function quotedIn(chat: Chat, fields: Fields): string {
  const peer = textOf(fields, "reply_to_peer_id") || numberOf(fields, "reply_to_peer_id");
  const isHere = peer === "" || peer.replace(/^\D+/, "") === chat.id;
  return isHere ? numberOf(fields, "reply_to_message_id") : "";
}

/**
 * Returns the topic of a message, and what it quotes; both may be empty. A message of a topic replies to the notice that began it, or to a
 * message in it; if that was long ago, the writing follows the replies to their root.
 */
function placeOf({ chat, topics }: Reading, number: string, quoted: string): { thread: string; quote: string } {
  if (!chat.hasTopics) return { thread: "", quote: quoted };
  const topic = topics.get(quoted);
  const thread = topic ?? quoted;
  topics.set(number, thread);
  return { thread, quote: topic === quoted ? "" : quoted };
}

/** Telegram names only who reacted last, and custom emoji and paid ones not at all. */
function reactionsOf(message: Fields): { reactions: SourceReaction[]; lost: Map<string, number> } {
  const reactions: SourceReaction[] = [];
  const lost = new Map<string, number>();
  const lose = (reason: string, times: number): void => {
    if (times > 0) lost.set(reason, (lost.get(reason) ?? 0) + times);
  };
  for (const each of partsOf(message, "reactions")) {
    const count = Math.min(countOf(each, "count") ?? 0, COUNT_MAX);
    const emoji = textOf(each, "emoji");
    if (emoji === "") {
      lose(textOf(each, "type") === "paid" ? "paid" : "no_emoji", Math.max(count, 1));
      continue;
    }
    const people = partsOf(each, "recent").map((person) => peerOf(person, "from_id"));
    const userIds = [...new Set(people)].filter((id) => id !== "");
    lose("people_not_named", count - userIds.length);
    if (userIds.length > 0) reactions.push({ reaction: emojiOfName(emoji) ?? emoji, userIds });
  }
  return { reactions, lost };
}
