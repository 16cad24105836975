import type { BlockContent, Root } from "mdast";
import {
  type Item,
  type LeftOut,
  type SourceMessage,
  type SourceReaction,
  type SourceUser,
  USERS_MAX,
} from "../../source.ts";
import { countOf, type Fields, fieldsOf, TEXT_MAX, textOf } from "../fields.ts";
import { PEOPLE, tooMany } from "../too-many.ts";
import { readText } from "./text/zulip-text.ts";
import { channelOf, isWithOneself } from "./zulip-channels.ts";
import { editsOf } from "./zulip-edits.ts";
import { idOf, sentAt, timeProblem } from "./zulip-fields.ts";
import { filesOf } from "./zulip-files.ts";
import type { Opening, ZulipIndex } from "./zulip-index.ts";
import type { Reading } from "./zulip-reading.ts";
import type { Realm } from "./zulip-realm.ts";
import { widgetOf } from "./zulip-widgets.ts";

const leftOut = (kind: LeftOut["kind"], reason: string, example: string, times = 1): { leftOut: LeftOut } => ({
  leftOut: { kind, reason, example, ...(times === 1 ? {} : { times }) },
});

/** Returns why a message becomes nothing; undefined if it becomes one. */
export function refusalOf(message: Fields, { realm, now }: Reading): [LeftOut["kind"], string] | undefined {
  if (idOf(message, "id") === "") return ["message", "no_id"];
  const bot = realm.systemBots.get(idOf(message, "sender"));
  if (bot?.isNotice === true) return ["system_message", bot.name.slice(0, 64).replaceAll("-", "_")];
  const problem = timeProblem(message, now);
  if (problem !== undefined) return ["message", problem];
  if (typeof message.content !== "string") return ["message", "wrong_type"];
  return message.content.length > TEXT_MAX ? ["message", "too_long"] : undefined;
}

/** Keeps what a message says of its topic or conversation. */
export function note(value: unknown, reading: Reading): void {
  const fields = fieldsOf(value);
  if (fields === undefined || refusalOf(fields, reading) !== undefined) return;
  const { recipient, topic } = openingOf(fields);
  const channel = channelOf(recipient, idOf(fields, "sender"), reading);
  if (channel === null) return;
  if (reading.realm.recipients.get(recipient)?.kind !== "stream") reading.index.addTalk(channel);
  else if (topic !== "")
    reading.index.addToTopic({ recipient, topic }, sentAt(fields) ?? 0, Number(idOf(fields, "id")));
}

/** What was sent without a topic is in the channel itself. */
function openingOf(message: Fields): Opening {
  const topic = textOf(message, "subject").trim().slice(0, 1_000);
  return { recipient: idOf(message, "recipient"), topic: topic === "(no topic)" ? "" : topic };
}

/** Reads one message. `place` says where it is, for what has no id. */
export function messageItems(
  value: unknown,
  place: string,
  reading: Reading,
  isWanted: (channel: string) => boolean,
): Item<SourceMessage>[] {
  const fields = fieldsOf(value);
  if (fields === undefined) return [leftOut("message", "wrong_type", place)];
  const id = idOf(fields, "id") || place;
  const channelId = channelOf(idOf(fields, "recipient"), idOf(fields, "sender"), reading);
  if (channelId !== null && (isWithOneself(channelId) || !isWanted(channelId))) return [];
  const refusal = refusalOf(fields, reading);
  if (refusal !== undefined) return [leftOut(...refusal, id)];
  if (channelId === null) return [leftOut("message", "channel_missing", id)];
  return takenItems(fields, id, channelId, reading);
}

function takenItems(fields: Fields, id: string, channelId: string, reading: Reading): Item<SourceMessage>[] {
  const { layout, index, now } = reading;
  const uploads = new Map<string, string>();
  const said = contentOf(fields, id, { ...reading, uploads });
  const opening = openingOf(fields);
  const isInStream = reading.realm.recipients.get(opening.recipient)?.kind === "stream";
  const rootId = isInStream && opening.topic !== "" ? index.rootOf(opening) : null;
  const files = filesOf(layout, index, uploads);
  if (said.length === 0 && files.length === 0) return [leftOut("message", "empty", id)];
  const { editedAt, earlier } = editsOf(fields, now);
  const items: Item<SourceMessage>[] = earlier === 0 ? [] : [leftOut("edit_history", "earlier_text", id, earlier)];
  const item: SourceMessage = {
    id,
    channelId,
    senderId: senderOf(fields, reading),
    at: sentAt(fields) ?? 0,
    order: countOf(fields, "id") ?? 0,
    text: rootId === id ? withTopic(opening.topic, said) : { type: "root", children: said },
    threadId: rootId === id ? null : rootId,
    isAlsoInChannel: false,
    replyToId: null,
    editedAt,
    isTombstone: false,
    isPinned: false,
    reactions: reactionsTo(id, index),
    files,
  };
  return [...items, { item }];
}

function contentOf(fields: Fields, id: string, reading: Reading & { uploads: Map<string, string> }): BlockContent[] {
  const content = textOf(fields, "content");
  return widgetOf(content, () => reading.index.subMessagesOf(id)) ?? readText(content, reading);
}

/** The first message of a topic begins with the topic's name. */
const withTopic = (topic: string, said: BlockContent[]): Root => ({
  type: "root",
  children: [
    { type: "paragraph", children: [{ type: "strong", children: [{ type: "text", value: topic }] }] },
    ...said,
  ],
});

function senderOf(fields: Fields, { layout, realm, strangers }: Reading): string | null {
  const id = idOf(fields, "sender");
  if (id === "" || realm.names.has(id) || strangers.has(id)) return id || null;
  if (strangers.size + realm.names.size >= USERS_MAX) throw tooMany(layout.archive.path, PEOPLE);
  strangers.set(id, strangerOf(id, realm));
  return id;
}

/** Returns somebody whom only messages name: a bot of Zulip itself, or a person whom the export does not have. */
function strangerOf(id: string, { systemBots }: Realm): SourceUser {
  const bot = systemBots.get(id);
  return {
    id,
    name: bot?.name ?? `unknown-${id}`,
    displayName: bot?.name ?? null,
    email: null,
    kind: bot === undefined ? "person" : "bot",
    isGone: bot === undefined,
  };
}

/** Two names of one emoji are one reaction. */
function reactionsTo(id: string, index: ZulipIndex): SourceReaction[] {
  const people = new Map<string, string[]>();
  for (const { emoji, user } of index.reactionsTo(id)) people.set(emoji, [...(people.get(emoji) ?? []), user]);
  return [...people].map(([reaction, userIds]) => ({ reaction, userIds }));
}
