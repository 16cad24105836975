import type { Millis } from "../../../db/columns.ts";
import type { Item, LeftOut, SourceMessage, SourceReaction } from "../../source.ts";
import { emojiOfName } from "../emoji-names.ts";
import { countOf, type Fields, fieldsOf, partOf, partsOf, TEXT_MAX, textOf, textsOf } from "../fields.ts";
import type { Layout } from "./layout.ts";
import type { Room } from "./slack-channels.ts";
import { contentOf } from "./slack-content.ts";
import { filesOf } from "./slack-files.ts";
import type { Senders } from "./slack-senders.ts";
import { timeOf, timeProblem } from "./slack-time.ts";
import type { SlackNames } from "./text/references.ts";
import { TextBudget } from "./text/text-budget.ts";

/** The subtypes of messages by people and programs. Every other one is a notice of Slack's own. */
const SAID = new Set([
  "",
  "bot_message",
  "me_message",
  "file_share",
  "file_comment",
  "file_mention",
  "thread_broadcast",
  "slackbot_response",
  "tombstone",
]);
/** Slack keeps back what is encrypted with a key of the customer's that it no longer has. */
const ENCRYPTED = "ekm_access_denied";
/** The order decides among messages of one microsecond. A channel has fewer messages than this. */
const ORDERS = 1e9;

/** The state of the reading of a conversation. */
export interface Reading {
  readonly layout: Layout;
  readonly room: Room;
  readonly names: SlackNames;
  readonly senders: Senders;
  readonly now: Millis;
  /** The pins that are not found yet. */
  readonly pins: Set<string>;
  /** Records read so far. */
  count: number;
}

/** Reads one record of a day file. `place` says where it is, for what has no time. */
export function messageItems(reading: Reading, value: unknown, place: string): Item<SourceMessage>[] {
  reading.count += 1;
  const fields = fieldsOf(value);
  if (fields === undefined) return [leftOut("message", "wrong_type", place)];
  const id = textOf(fields, "ts") === "" ? place : `${reading.room.id}/${textOf(fields, "ts").slice(0, 32)}`;
  const refusal = refusalOf(fields, reading.now);
  if (refusal !== undefined) return [leftOut(...refusal, id)];
  return takenItems(reading, fields, id);
}

const leftOut = (kind: LeftOut["kind"], reason: string, example: string, times = 1): { leftOut: LeftOut } => ({
  leftOut: { kind, reason, example, ...(times === 1 ? {} : { times }) },
});

function refusalOf(fields: Fields, now: Millis): [LeftOut["kind"], string] | undefined {
  const subtype = textOf(fields, "subtype");
  if (subtype === ENCRYPTED) return ["encrypted", subtype];
  const isMessage = fields.type === "message" || fields.type === undefined;
  if (!SAID.has(subtype)) return ["system_message", /^\w{1,64}$/.test(subtype) ? subtype : "unknown"];
  if (!isMessage) return ["message", "wrong_type"];
  const problem = timeProblem(fields.ts, now);
  if (problem !== undefined) return ["message", problem];
  if (fields.text === undefined || fields.text === null) return undefined;
  if (typeof fields.text !== "string") return ["message", "wrong_type"];
  return fields.text.length > TEXT_MAX ? ["message", "too_long"] : undefined;
}

function takenItems(reading: Reading, fields: Fields, id: string): Item<SourceMessage>[] {
  const { layout, room, names, senders } = reading;
  const isTombstone = fields.subtype === "tombstone";
  const { files, leftOut: lost, lostNames } = filesOf(layout, room.folder, fields);
  const isBot = senders.isBot(fields);
  const budget = new TextBudget();
  const text = isTombstone
    ? { type: "root" as const, children: [] }
    : contentOf(fields, isBot, lostNames, names, budget);
  if (budget.isUsedUp) return [leftOut("message", "too_long", id)];
  const items: Item<SourceMessage>[] = lost.map((each) => ({ leftOut: each }));
  if (!isTombstone && text.children.length === 0 && files.length === 0) {
    return [...items, leftOut("message", "empty", id)];
  }
  const ts = textOf(fields, "ts");
  const time = timeOf(ts) ?? { at: 0, micros: 0 };
  const isPinned = reading.pins.delete(ts) || textsOf(fields, "pinned_to").includes(room.id);
  const { reactions, unnamed } = reactionsOf(fields);
  if (unnamed > 0) items.push(leftOut("reaction", "people_not_named", id, unnamed));
  const item: SourceMessage = {
    id,
    channelId: room.id,
    senderId: isTombstone ? null : senders.senderOf(fields),
    at: time.at,
    order: time.micros * ORDERS + reading.count,
    text,
    threadId: threadOf(fields, room.id),
    isAlsoInChannel: fields.subtype === "thread_broadcast",
    replyToId: null,
    editedAt: isTombstone ? null : editedAt(fields, reading.now),
    isTombstone,
    isPinned: isPinned && !isTombstone,
    reactions: isTombstone ? [] : reactions,
    files: isTombstone ? [] : files,
  };
  return [...items, { item }];
}

/** A clock that was wrong never makes an edit of the future. */
function editedAt(fields: Fields, now: Millis): Millis | null {
  const edited = timeOf(partOf(fields, "edited").ts);
  return edited === undefined ? null : Math.min(edited.at, now);
}

/** A thread is named by the ts of its root, which has it, too. */
function threadOf(fields: Fields, channelId: string): string | null {
  const ts = textOf(fields, "thread_ts");
  return timeOf(ts) === undefined || ts === fields.ts ? null : `${channelId}/${ts}`;
}

/** Two names of one emoji are one reaction. Slack counts people whom it does not name, if they are many. */
function reactionsOf(fields: Fields): { reactions: SourceReaction[]; unnamed: number } {
  const people = new Map<string, Set<string>>();
  let unnamed = 0;
  for (const each of partsOf(fields, "reactions")) {
    const name = textOf(each, "name");
    if (name === "") continue;
    const reaction = emojiOfName(name) ?? name.split("::")[0] ?? name;
    const users = textsOf(each, "users");
    const known = people.get(reaction) ?? new Set();
    for (const id of users) known.add(id);
    people.set(reaction, known);
    unnamed += Math.max(0, Math.min(countOf(each, "count") ?? 0, 1_000_000) - users.length);
  }
  const reactions = [...people].map(([reaction, userIds]) => ({ reaction, userIds: [...userIds] }));
  return { reactions: reactions.filter(({ userIds }) => userIds.length > 0), unnamed };
}
